import { Agent, ProxyAgent, request } from 'undici';
import { trustSystemAuthorities } from '../process/authorities.ts';

const webhookMs = 10_000;

// When the file is loaded, not with the first alert, which may say that the disk is broken.
trustSystemAuthorities();

/**
 * Posts the JSON of an alert. Redirects are not followed.
 * @param proxy undefined: the address is reached directly.
 * @throws Error with a sentence for an operator.
 */
export async function postAlert(url: string, body: unknown, proxy: string | undefined): Promise<void> {
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
