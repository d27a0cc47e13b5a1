import { escapeControls, maskNumbers } from '../log/redact.ts';
import { createMailer, type MailOptions } from '../mail/mail.ts';
import { messageOf } from '../process/parse-json.ts';
import type { Notice } from './alert-rules.ts';
import { problem } from './problem.ts';

export type AlertSettings = {
  /** Addresses that get a mail each. */
  readonly mail: readonly string[];
  /** Where alerts are posted as JSON; the address may hold a secret. */
  readonly webhook: string | undefined;
  /** How long a problem must last before it is announced, ms. */
  readonly afterMs: number;
};

/** Where alerts are sent. */
export type AlertTarget = {
  /** Without a secret. */
  readonly name: string;
  /** Sends notices together, in one attempt. @throws Error with a sentence for an operator. */
  send(notices: readonly Notice[]): Promise<void>;
};

/** `proxy`: for the webhook; undefined: it is reached directly. */
export function alertTargets(
  { mail, webhook }: AlertSettings,
  sender: AlertSender,
  { server, proxy }: { readonly server: MailOptions | undefined; readonly proxy?: string | undefined },
): AlertTarget[] {
  const mailer = server && createMailer(server);
  const mails = mail.map((to) => ({
    name: `mail to ${to}`,
    send: async (notices: readonly Notice[]) => mailer?.send({ to, ...alertMail(notices, sender) }),
  }));
  if (webhook === undefined) return mails;
  // Only where it is used: it takes 10 MB.
  const client = import('./post-alert.ts');
  const name = `webhook at ${new URL(webhook).host}`;
  return [
    ...mails,
    {
      name,
      send: async (notices) => (await client).postAlert(webhook, alertJson(notices, sender), proxy),
    },
  ];
}

/** Sends a test to each target. Returns for each a line, and whether it was accepted. */
export function sendTestAlert(targets: readonly AlertTarget[], now: number) {
  const { key: _, ...test } = problem('test', 'problem.test', {});
  const notice = { ...test, state: 'began', since: now, times: 1, flaps: false } as const;
  return Promise.all(
    targets.map(async (target) => {
      try {
        await target.send([notice]);
        return { ok: true, line: `accepted: ${target.name}` };
      } catch (error) {
        return { ok: false, line: `FAILED: ${target.name}: ${messageOf(error)}` };
      }
    }),
  );
}

/** Printed if nothing is configured. */
export const noTargets =
  'no alerts are configured: set ALERT_MAIL (with SMTP_URL and MAIL_FROM) or ALERT_WEBHOOK';

/** Who sends an alert. */
type AlertSender = {
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
