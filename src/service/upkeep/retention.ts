import type { Log } from '../../shared/log/log.ts';
import type { Store } from '../database/store.ts';

/** How long data is kept; undefined: no limit. */
export type Retention = {
  /** Of the request history, ms, and its entries per account. */
  readonly maxAgeMs?: number | undefined;
  readonly maxEntries?: number | undefined;
  /** Of calls, ms. */
  readonly callsMaxAgeMs?: number | undefined;
  /** Of the audit log, ms. */
  readonly auditMaxAgeMs?: number | undefined;
  /** Of deliveries to webhooks, ms. */
  readonly webhooksMaxAgeMs?: number | undefined;
};

/** Deletes requests, calls and audit entries at the end of their retention. */
export async function applyRetention(
  {
    requests,
    calls,
    audit,
    webhooks,
  }: {
    [Part in 'requests' | 'calls' | 'audit' | 'webhooks']: Pick<Store[Part], 'trim'>;
  },
  { maxAgeMs, maxEntries, callsMaxAgeMs, auditMaxAgeMs, webhooksMaxAgeMs }: Retention,
  now: number,
  log: Log,
): Promise<void> {
  const trimmed = (entries: number, what: string) => {
    if (entries > 0) log.say('service.trimmed', { entries, what });
  };
  if (maxAgeMs !== undefined || maxEntries !== undefined) {
    const limits = {
      ...(maxAgeMs !== undefined && { before: now - maxAgeMs }),
      ...(maxEntries !== undefined && { keep: maxEntries }),
    };
    trimmed(await requests.trim(limits), 'request history');
  }
  if (callsMaxAgeMs !== undefined) trimmed(await calls.trim(now - callsMaxAgeMs), 'calls');
  if (auditMaxAgeMs !== undefined) trimmed(await audit.trim(now - auditMaxAgeMs), 'audit log');
  if (webhooksMaxAgeMs !== undefined)
    trimmed(await webhooks.trim(now - webhooksMaxAgeMs), 'deliveries to webhooks');
}
