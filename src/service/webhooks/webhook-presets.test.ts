import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { z } from 'zod';
import { noExtensions } from '../accounts/extensions.ts';
import { languages } from '../words/words.ts';
import { type ExampleEvent, exampleOf, examplesOf } from './event-examples.ts';
import { callEvents, personEvents, type WebhookEvent } from './webhook.ts';
import { webhookBody } from './webhook-message.ts';
import { type PresetName, presets } from './webhook-presets.ts';

const filled = (max: number) => z.string().min(1).max(max);
const plain = (max: number) =>
  z.strictObject({ type: z.literal('plain_text'), text: filled(max), emoji: z.boolean().optional() });
const digits = z.string().regex(/^(?:\d{1,20}|anonymous)$/);
const ofCall = { from: digits, to: digits, direction: z.literal('in'), callId: filled(250) };
const user = z.array(filled(200));

/** What each program takes of a request, as it documents it, and nothing else. */
const standIns: Readonly<Record<PresetName, z.ZodType>> = {
  // docs.slack.dev: incoming webhooks, Block Kit's header and section.
  slack: z.strictObject({
    blocks: z
      .array(
        z.union([
          z.strictObject({ type: z.literal('header'), text: plain(150) }),
          z.strictObject({ type: z.literal('section'), text: plain(3_000) }),
        ]),
      )
      .min(1)
      .max(50),
  }),
  // learn.microsoft.com: "When a Teams webhook request is received"; adaptivecards.io: TextBlock, RichTextBlock.
  teams: z.strictObject({
    type: z.literal('message'),
    attachments: z.tuple([
      z.strictObject({
        contentType: z.literal('application/vnd.microsoft.card.adaptive'),
        contentUrl: z.null(),
        content: z.strictObject({
          $schema: z.literal('http://adaptivecards.io/schemas/adaptive-card.json'),
          type: z.literal('AdaptiveCard'),
          version: z.enum(['1.2', '1.3', '1.4']),
          body: z.array(
            z.union([
              z.strictObject({
                type: z.literal('TextBlock'),
                text: filled(200),
                weight: z.enum(['Lighter', 'Default', 'Bolder']),
                wrap: z.boolean(),
              }),
              z.strictObject({
                type: z.literal('RichTextBlock'),
                inlines: z.array(z.strictObject({ type: z.literal('TextRun'), text: filled(20_000) })),
              }),
            ]),
          ),
        }),
      }),
    ]),
  }),
  // developers.mattermost.com: incoming webhooks, message attachments.
  mattermost: z.strictObject({
    attachments: z.array(z.strictObject({ fallback: filled(7_000), title: filled(7_000) })).min(1),
  }),
  // docs.ntfy.sh: publish as JSON, to the root of the server.
  ntfy: z.strictObject({
    topic: z.string().regex(/^[-_\w]{1,64}$/),
    title: filled(250),
    message: filled(4_096),
    tags: z.array(filled(64)),
  }),
  // docs.zammad.org: generic CTI, newCall, answer and hangup.
  zammad: z.discriminatedUnion('event', [
    z.strictObject({ event: z.literal('newCall'), ...ofCall, user }),
    z.strictObject({ event: z.literal('answer'), ...ofCall, user, answeringNumber: filled(200) }),
    z.strictObject({
      event: z.literal('hangup'),
      ...ofCall,
      user,
      answeringNumber: filled(200).optional(),
      cause: z.enum(['normalClearing', 'busy', 'cancel', 'noAnswer', 'congestion', 'notFound', 'forwarded']),
    }),
  ]),
  // home-assistant.io: webhook trigger, whose JSON an automation has as trigger.json. The members are ours.
  'home-assistant': z.strictObject({
    type: z.enum([...callEvents, ...personEvents]),
    title: filled(200),
    caller: filled(500),
    number: z.string().nullable(),
    called: z.string().nullable(),
  }),
};

const bodyOf = (preset: PresetName, event: ExampleEvent, language = 'en') => {
  const { format, template, events } = presets[preset];
  const telling = { extensions: noExtensions, integration: 'Office', country: 'US' };
  return JSON.parse(webhookBody(event, { shape: { format, template, language }, events }, telling));
};
/** Zammad's API is about calls. */
const possible = (preset: PresetName): readonly WebhookEvent[] =>
  preset === 'zammad' ? callEvents : [...callEvents, ...personEvents];

for (const [name, standIn] of Object.entries(standIns) as [PresetName, z.ZodType][])
  test(`${name} takes every event that its preset can be given`, () => {
    for (const event of possible(name))
      for (const language of languages.keys())
        for (const example of examplesOf(event)) standIn.parse(bodyOf(name, example, language));
    // A test event, too.
    standIn.parse(bodyOf(name, { event: 'test', at: 0, call: null, person: null }));
    const example = exampleOf('call.missed');
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 200 }), (caller) => {
        const call = example.call && { ...example.call, customer: { reference: '1', name: caller } };
        standIn.parse(bodyOf(name, { ...example, call }));
      }),
      { numRuns: 30 },
    );
  });

test('what a receiver is told of a call', () => {
  assert.deepEqual(bodyOf('zammad', exampleOf('call.answered')), {
    event: 'answer',
    from: '12025550123',
    to: '12025550100',
    direction: 'in',
    callId: 'pbx-1767344400.1',
    answeringNumber: '101',
    user: ['101'],
  });
  const hangup = bodyOf('zammad', exampleOf('call.missed'));
  assert.deepEqual([hangup.event, hangup.cause], ['hangup', 'cancel']);
  const { message, title } = bodyOf('ntfy', exampleOf('call.missed'), 'de');
  assert.equal(title, 'Anruf wurde verpasst');
  assert.match(message, /^Ann Example \(\+12025550123\) → \+1 202 555 ?0100/);
});
