import type { Format, WebhookEvent } from './webhook.ts';

type Preset = {
  readonly name: string;
  /** An address of the kind. */
  readonly url: string;
  readonly events: readonly WebhookEvent[];
  readonly format: Format;
  readonly template: string;
};

const json = (value: unknown) => JSON.stringify(value, null, 2);
const line =
  '{{caller}}{{#data.number}} ({{data.number}}){{/data.number}}{{#data.called}} → {{data.called}}{{/data.called}}{{#data.text}}: {{data.text}}{{/data.text}}';
const missed: readonly WebhookEvent[] = ['call.missed'];

/**
 * What other programs take, as they document it. Texts that callers or colleagues may have chosen go where a program reads no markup and
 * no mentions.
 */
export const presets = {
  slack: {
    name: 'Slack',
    url: 'https://hooks.slack.com/services/…',
    events: missed,
    format: 'json',
    template: json({
      blocks: [
        { type: 'header', text: { type: 'plain_text', text: '{{title}}' } },
        { type: 'section', text: { type: 'plain_text', text: line, emoji: false } },
      ],
    }),
  },
  teams: {
    name: 'Microsoft Teams',
    url: 'https://….logic.azure.com/workflows/…',
    events: missed,
    format: 'json',
    template: json({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          contentUrl: null,
          content: {
            $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
            type: 'AdaptiveCard',
            version: '1.2',
            body: [
              { type: 'TextBlock', text: '{{title}}', weight: 'Bolder', wrap: true },
              { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: line }] },
            ],
          },
        },
      ],
    }),
  },
  mattermost: {
    name: 'Mattermost',
    url: 'https://mattermost.example.com/hooks/…',
    events: missed,
    format: 'json',
    template: json({ attachments: [{ fallback: `{{title}}: ${line}`, title: `{{title}}: ${line}` }] }),
  },
  ntfy: {
    name: 'ntfy',
    url: 'https://ntfy.sh/',
    events: missed,
    format: 'json',
    template: json({ topic: 'pbx-calls', title: '{{title}}', message: line, tags: ['telephone_receiver'] }),
  },
  zammad: {
    name: 'Zammad CTI',
    url: 'https://zammad.example.com/api/v1/cti/…',
    events: ['call.ringing', 'call.answered', 'call.ended', 'call.missed'],
    format: 'json',
    template: `{
  "event": "{{#is.ringing}}newCall{{/is.ringing}}{{#is.answered}}answer{{/is.answered}}{{#is.ended}}hangup{{/is.ended}}{{#is.missed}}hangup{{/is.missed}}",
  "from": "{{digits.from}}{{^digits.from}}anonymous{{/digits.from}}",
  "to": "{{digits.to}}{{^digits.to}}0{{/digits.to}}",
  "direction": "in",
  "callId": "{{data.id}}",
  {{#is.answered}}
  "answeringNumber": "{{data.caller_id}}{{^data.caller_id}}0{{/data.caller_id}}",
  {{/is.answered}}
  {{#is.ended}}
  "answeringNumber": "{{data.caller_id}}{{^data.caller_id}}0{{/data.caller_id}}",
  "cause": "normalClearing",
  {{/is.ended}}
  {{#is.missed}}
  "cause": "cancel",
  {{/is.missed}}
  "user": {{{users}}}
}`,
  },
  'home-assistant': {
    name: 'Home Assistant',
    url: 'http://homeassistant.local:8123/api/webhook/…',
    events: ['call.ringing', 'call.missed'],
    format: 'json',
    template: `{
  "type": "{{type}}",
  "title": "{{title}}",
  "caller": "{{caller}}",
  "number": {{{data.number}}},
  "called": {{{data.called}}}
}`,
  },
} as const satisfies Readonly<Record<string, Preset>>;

export type PresetName = keyof typeof presets;

/** That of this name. */
export const presetNamed = (name: string | null): Preset | undefined =>
  name !== null && Object.hasOwn(presets, name) ? presets[name as PresetName] : undefined;
