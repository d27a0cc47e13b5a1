import { Client } from 'pg';
import { clientConfig, isFull, type Primary } from './primary.ts';

/** The one channel of the service: `directory`, `calls <sender> <accounts>`, `called-back <sender> <account>`, `customers <sender> <account>`, `who <sender> <account> <pieces that follow> <piece>`. */
export const CHANNEL = 'pbx_bridge';

const AGAIN_MS = 1_000;
/** How soon a silently dead connection is found, ms. */
const BEAT_MS = 30_000;
const SILENCE_MS = 5_000;

/**
 * Listens on its own connection, which must not go through a pooler, and reconnects when it breaks. Notifications in
 * between are lost, so the caller polls the tables every second, too.
 */
export function listen(
  primary: Primary,
  received: (payload: string) => void,
  connected: () => void,
): () => void {
  let stopped = false;
  let client: Client | undefined;
  let timer: NodeJS.Timeout | undefined;

  async function connect(): Promise<void> {
    try {
      const mine = new Client(clientConfig(await primary.address()));
      client = mine;
      mine.on('notification', ({ payload }) => received(payload ?? ''));
      mine.on('error', () => lost(mine));
      mine.on('end', () => lost(mine));
      await mine.connect();
      await mine.query(`LISTEN ${CHANNEL}`);
      if (stopped) return await end(mine);
      connected();
      timer = setInterval(() => {
        const beat = { text: 'SELECT 1', query_timeout: SILENCE_MS };
        mine.query(beat).catch(() => lost(mine));
      }, BEAT_MS);
    } catch (error) {
      lost(client, error);
    }
  }

  function lost(which: Client | undefined, error?: unknown): void {
    if (stopped || which !== client) return;
    clearTimeout(timer);
    client = undefined;
    if (which !== undefined) void end(which);
    if (!isFull(error)) primary.suspect();
    timer = setTimeout(() => void connect(), AGAIN_MS);
  }

  void connect();
  return () => {
    stopped = true;
    clearTimeout(timer);
    if (client !== undefined) void end(client);
  };
}

async function end(client: Client): Promise<void> {
  client.on('error', () => {});
  await client.end().catch(() => {});
}
