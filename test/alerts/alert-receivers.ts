import { startWebhookReceiver } from '../../src/alerts/webhook-receiver.fixture.ts';
import { startMailServer } from '../../src/mail/mail-server.fixture.ts';

export type Alert = { state: string; code: string; what: string; since: string; remedy: string };

/** A mail server and a webhook receiver, and what alerts have arrived there. */
export async function startReceivers(t: { after(stop: () => Promise<void>): void }) {
  const [mail, hook] = await Promise.all([startMailServer(), startWebhookReceiver()]);
  t.after(async () => {
    await mail.stop();
    await hook.stop();
  });
  const alerts = () => (hook.received as { alerts: Alert[] }[]).flatMap((it) => it.alerts);
  const announced = () => alerts().map(({ code, state }) => `${code} ${state}`);
  return {
    ...{ mail, hook, alerts, announced },
    /** Resolves when this has arrived at both. */
    async until(what: string) {
      while (!announced().includes(what)) await hook.has(hook.received.length + 1);
      await mail.has(hook.received.length);
    },
  };
}
