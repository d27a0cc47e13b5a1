import { createMailer, type MailOptions } from '../mail/mail.ts';
import { messageOf } from '../process/parse-json.ts';
import type { Notice } from './alert-rules.ts';
import { type AlertSender, alertJson, alertMail } from './alert-text.ts';
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

const webhookMs = 10_000;

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
  const client = import('undici');
  const name = `webhook at ${new URL(webhook).host}`;
  return [
    ...mails,
    {
      name,
      send: async (notices) => post(await client, webhook, alertJson(notices, sender), proxy),
    },
  ];
}

/** Redirects are not followed. */
async function post(
  { Agent, ProxyAgent, request }: Pick<typeof import('undici'), 'Agent' | 'ProxyAgent' | 'request'>,
  url: string,
  body: unknown,
  proxy: string | undefined,
): Promise<void> {
  const dispatcher = proxy === undefined ? new Agent() : new ProxyAgent(proxy);
  const { host } = new URL(url);
  try {
    const answer = await request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'pbx-bridge' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(webhookMs),
      dispatcher,
    });
    if (answer.statusCode >= 300) throw new Error(`it answered HTTP ${answer.statusCode}`);
  } catch (error) {
    const { name, message, code } = error as NodeJS.ErrnoException;
    const why = name === 'TimeoutError' ? `no answer within ${webhookMs / 1_000} s` : message || code;
    throw new Error(`the webhook at ${host} did not accept the alert: ${why}`);
  } finally {
    await dispatcher.destroy();
  }
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
