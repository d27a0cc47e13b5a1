import type { Log } from '../../log/log.ts';
import type { RequestStore } from '../store/request-store.ts';

/** How long the request history is kept; undefined: for ever, all of it. */
export type Retention = { readonly maxAgeMs?: number | undefined; readonly maxEntries?: number | undefined };

/** Deletes what the retention says, once. */
export async function applyRetention(
  requests: Pick<RequestStore, 'trim'>,
  { maxAgeMs, maxEntries }: Retention,
  now: number,
  log: Log,
): Promise<void> {
  if (maxAgeMs === undefined && maxEntries === undefined) return;
  const entries = await requests.trim({
    ...(maxAgeMs !== undefined && { before: now - maxAgeMs }),
    ...(maxEntries !== undefined && { keep: maxEntries }),
  });
  if (entries > 0) log.say('service.trimmed', { entries });
}
