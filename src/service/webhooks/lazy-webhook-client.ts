import type { WebhookClient } from './webhook-client.ts';

/** The client, loaded for the first request: its library takes 10 MB. */
export function createLazyWebhookClient(
  networks: readonly string[],
  answerMs?: number,
): Pick<WebhookClient, 'post' | 'close'> {
  let loaded: Promise<WebhookClient> | undefined;
  async function load(): Promise<WebhookClient> {
    const { createWebhookClient } = await import('./webhook-client.ts');
    return createWebhookClient(networks, answerMs);
  }
  return {
    async post(url, headers, body) {
      loaded ??= load();
      return (await loaded).post(url, headers, body);
    },
    async close() {
      await (await loaded)?.close();
    },
  };
}
