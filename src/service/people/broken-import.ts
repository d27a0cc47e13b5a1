import { setTimeout as wait } from 'node:timers/promises';
import type { Log } from '../../shared/log/log.ts';
import { isOwnerGone } from '../store/statements.ts';

/** Between two attempts to write the entry, and how many there are: ten minutes. */
const [RETRY_MS, ATTEMPTS] = [5_000, 120];

/**
 * Writes the audit entry of an import that `why` ended after `stored` customers. If what ended it also refuses the entry,
 * as a database that is away, the entry is written as soon as it no longer does: the promise resolves after the first attempt.
 */
export async function auditBrokenImport(
  { stored, why, account, log }: { stored: number; why: Error; account: string; log: Log },
  audit: (what: 'import', target: string) => Promise<void>,
): Promise<void> {
  log.say('service.import-broke-off', { account, stored, error: why });
  const attempt = async (left: number): Promise<void> => {
    try {
      await audit('import', `${stored} imported, then: ${why.message}`);
    } catch (error) {
      if (isOwnerGone(error)) return; // with the account its audit log is gone
      if (left === 0) return log.say('service.import-not-audited', { account, stored, error });
      void wait(RETRY_MS, undefined, { ref: false }).then(() => attempt(left - 1));
    }
  };
  await attempt(ATTEMPTS);
}
