import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { databasePath } from '../bridge/outbox/tables/database.ts';
import { normaliseNumber } from '../shared/phone-number/normalise-number.ts';
import { writtenNumber } from '../shared/phone-number/written-number.ts';
import { emptyLog } from '../shared/storage/empty-log.ts';
import { type Context, exitCodes, openForChange } from './command-context.ts';
import { callsSection } from './config/calls-section.ts';
import { loadConfig } from './config/env.ts';
import { outboxSection } from './config/outbox-section.ts';
import { count } from './text/format-text.ts';

/** Removes a number from delivered events, the journal and the log of discarded events. */
export async function forget(context: Context, given: string): Promise<number> {
  const { outbox, calls } = loadConfig(
    { outbox: outboxSection, calls: callsSection },
    context.io.environment(),
  );
  const number = normaliseNumber(given, calls.defaultCountry);
  // In the journal's text, a short number would be found inside of others.
  if (!number.startsWith('+')) {
    context.printError(`not a full phone number: ${given}; give it with + and the country code`);
    return exitCodes.failed;
  }
  using operator = openForChange(outbox.stateDir);
  const written = writtenNumber(number);
  const masked = (text: string) => text.replaceAll(written, (form) => '*'.repeat(form.length));
  const report = operator.forgetNumber(number, masked);
  const isPurged = await emptyLog(databasePath(outbox.stateDir));
  forgetDiscarded(join(outbox.stateDir, 'outbox.audit.jsonl'), masked);
  context.printResult(
    { ...report, isPurged },
    `removed from ${count(report.events, 'delivered event')} and ${count(report.journal, 'part')} of the journal; backups, and log files with LOG_NUMBERS=show, may still hold it`,
  );
  if (!context.json && report.undelivered > 0)
    context.terminal.wrapped(
      '',
      `${count(report.undelivered, 'undelivered event')} of this number will still be sent: see pbx-bridge outbox list, and run this again afterwards`,
      0,
    );
  if (!context.json && !isPurged)
    context.terminal.wrapped(
      '',
      'what was removed is still in outbox.db-wal, since another program (a backup, or sqlite3) reads the outbox: end that, and restart the bridge',
      0,
    );
  return report.undelivered > 0 || !isPurged ? exitCodes.problem : exitCodes.ok;
}

function forgetDiscarded(path: string, masked: (text: string) => string): void {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  if (masked(text) === text) return;
  writeFileSync(`${path}.part`, masked(text), { mode: 0o600, flush: true });
  renameSync(`${path}.part`, path);
}
