import { escapeControls, maskNumbers } from '../log/redact.ts';
import type { Notice } from './alert-rules.ts';

/** Who sends an alert. */
export type AlertSender = {
  readonly program: 'bridge' | 'service';
  /** Which one: the PBX_ID of a bridge, the host of a service. */
  readonly name: string;
};

const heads = { began: 'PROBLEM', continues: 'STILL', over: 'OVER' } as const;

/** `2026-11-22 14:05 UTC` */
const time = (at: number) => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

const safe = (text: string) => maskNumbers(escapeControls(text));

/** The subject and the text of a mail. */
export function alertMail(notices: readonly Notice[], { program, name }: AlertSender) {
  const [first] = notices;
  const subject =
    notices.length === 1 && first !== undefined
      ? `${heads[first.state]}: ${safe(first.what)}`
      : (['began', 'continues', 'over'] as const)
          .map((state) => [notices.filter((it) => it.state === state).length, heads[state]] as const)
          .filter(([count]) => count > 0)
          .map(([count, head]) => `${count} ${head}`)
          .join(', ');
  return {
    subject: `[pbx-bridge ${program} ${name}] ${subject}`.slice(0, 200),
    text: `${notices.map(noticeText).join('\n\n')}\n\nSent by pbx-bridge, ${program} ${name}.\n`,
  };
}

function noticeText({ state, code, what, remedy, since, until, times, flaps }: Notice): string {
  const lines = [
    `${heads[state]}: ${safe(what)}`,
    `Since: ${time(since)}${until === undefined ? '' : `, until ${time(until)}`}`,
    flaps ? flapsText(state, times) : '',
    state === 'over' || remedy === '' ? '' : `What to do: ${remedy}`,
    `Code: ${code}`,
  ];
  return lines.filter((line) => line !== '').join('\n');
}

const flapsText = (state: Notice['state'], times: number) =>
  state === 'over'
    ? `It came and went ${times} times.`
    : `It comes and goes: ${times} times so far. Its end is announced after an hour without it.`;

/** The JSON of a webhook: chat systems show `text`; programs read `alerts`. */
export function alertJson(notices: readonly Notice[], sender: AlertSender) {
  const { subject, text } = alertMail(notices, sender);
  return {
    text: `${subject}\n\n${text}`,
    ...sender,
    alerts: notices.map(({ since, until, what, ...notice }) => ({
      ...notice,
      what: safe(what),
      since: new Date(since).toISOString(),
      ...(until !== undefined && { until: new Date(until).toISOString() }),
    })),
  };
}
