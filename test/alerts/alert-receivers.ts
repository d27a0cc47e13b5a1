import { startWebhookReceiver } from '../../src/shared/alerts/webhook-receiver.fixture.ts';
import { startMailServer } from '../../src/shared/mail/mail-server.fixture.ts';
import { until } from '../tools/until.ts';

type Alert = { state: string; code: string; what: string; since: string; remedy: string };

/** A mail server and a webhook receiver, and what alerts have arrived there. */
export async function startReceivers(t: { after(stop: () => Promise<void>): void }) {
  const [mail, hook] = await Promise.all([startMailServer(), startWebhookReceiver()]);
  t.after(async () => {
    await mail.stop();
    await hook.stop();
  });
  const alerts = () => (hook.received as { alerts: Alert[] }[]).flatMap((it) => it.alerts);
  const announced = () => alerts().map(({ code, state }) => `${code} ${state}`);
  const mailed = () => mail.received.flatMap(({ data }) => noticesIn(data));
  return {
    mail,
    hook,
    alerts,
    announced,
    /** Resolves when this has arrived at both. One of them may get in one message what the other gets in two. */
    async until(what: string) {
      const state = () => ({ announced: announced(), mailed: mailed() });
      await until(what, () => announced().includes(what) && mailed().includes(what), { state });
    },
  };
}

const states: Readonly<Record<string, string>> = { PROBLEM: 'began', STILL: 'continues', OVER: 'over' };

/** A mail breaks its long lines anywhere, and headers between words. */
export const unfolded = (mail: string) => mail.replaceAll('=\r\n', '').replaceAll('\r\n ', ' ');

/** What a mail announces, as `announced` has it. */
function noticesIn(mail: string): string[] {
  return unfolded(mail)
    .split('\r\n\r\n')
    .flatMap((part) => {
      const [, head = ''] = /^([A-Z]+): /.exec(part) ?? [];
      const [, code] = /^Code: (\S+)$/m.exec(part) ?? [];
      return code === undefined ? [] : [`${code} ${states[head]}`];
    });
}
