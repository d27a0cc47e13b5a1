import { type ApiClient, type ApiClientOptions, createApiClient } from '../shared/api/client.ts';
import type { Delivered } from '../shared/delivery/compare.ts';
import type { Dispatcher } from '../shared/delivery/dispatcher.ts';
import { createHistoryReader } from '../shared/delivery/history-reader.ts';
import { createReconciler, type Reconciler } from '../shared/delivery/reconciler.ts';
import type { Log } from '../shared/log/log.ts';
import { journalLine } from './journal-buffer.ts';
import type { Outbox } from './outbox/outbox.ts';

/** Events delivered this long before the start, ms, may not have been compared yet. */
const UNCOMPARED_MS = 900_000;
/** Most of these events that are compared. */
const MOST_UNCOMPARED = 20_000;

export type Reconciliation = Reconciler & Pick<ApiClient, 'changeToken'>;

/** The comparison with the API's history, with a connection of its own: it never delays a delivery. */
export function createReconciliation(
  { api, pbxId, everyMs }: { api: ApiClientOptions; pbxId: string; everyMs: number },
  tools: {
    readonly outbox: Pick<Outbox, 'lastDelivered' | 'sendAgain' | 'append'>;
    readonly dispatcher: Pick<Dispatcher, 'poke' | 'status'>;
    readonly keepsJournal: boolean;
    readonly log: Log;
    readonly now: () => number;
  },
): Reconciliation {
  const { outbox, dispatcher, log, now } = tools;
  const client = createApiClient({ ...api, connections: 1 });
  const reconciler = createReconciler({
    beginning: `${pbxId}-`,
    everyMs,
    reader: createHistoryReader(client.history),
    recent: () => outbox.lastDelivered(now() - UNCOMPARED_MS, MOST_UNCOMPARED),
    async sendAgain(missing) {
      const again = await outbox.sendAgain(
        missing.map(({ seq }) => seq),
        now(),
      );
      const sent = new Set(again);
      if (tools.keepsJournal) await writeDown(missing.filter(({ seq }) => sent.has(seq)));
      dispatcher.poke();
      return again;
    },
    isFlowing: () => dispatcher.status().state === 'ok',
    log,
    now,
  });

  /** For explain. */
  async function writeDown(missing: readonly Delivered[]): Promise<void> {
    if (missing.length === 0) return;
    const at = now();
    const lines = missing.map(({ callId, status }): string =>
      journalLine({
        at,
        uniqueid: callId.slice(pbxId.length + 1),
        call: callId,
        kind: 'decided',
        event: { code: 'sent-again', status },
      }),
    );
    await outbox.append({ calls: [], trunks: [], events: [], journal: { lines: lines.join('\n'), at } });
  }

  return {
    ...reconciler,
    changeToken: client.changeToken,
    async stop() {
      const stopped = reconciler.stop();
      // What is under way is not waited for: it ends with its connection.
      await client.close();
      await stopped;
    },
  };
}
