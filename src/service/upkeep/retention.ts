import type { Log } from '../../log/log.ts';
import type { RequestStore } from '../store/request-store.ts';

/** Limits of the request history; undefined: no limit. */
export type Retention = { readonly maxAgeMs?: number | undefined; readonly maxEntries?: number | undefined };

/** Deletes the requests beyond the retention. */
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
