import type { Log } from '../../shared/log/log.ts';
import type { Mailer } from '../../shared/mail/mail.ts';
import type { Account } from '../accounts/account.ts';
import type { ServiceDirectory } from '../accounts/directory.ts';
import { closeStaleCalls } from '../activity/close-call.ts';
import { noFilter } from '../calls/call-store.ts';
import type { Screens } from '../calls/screens.ts';
import type { Store } from '../database/store.ts';
import { dateAt, daysBetween } from '../kit/calendar.ts';
import { every } from '../kit/every.ts';
import { machineZone } from '../kit/formats.ts';
import { sendWeeklyReports } from '../reports/weekly-report.ts';
import { numberDropper } from './drop-numbers.ts';

const RETENTION_MS = 60_000;
const CLOSE_MS = 60_000;
const WEEKLY_MS = 3_600_000;
const FIGURES_MS = 600_000;

/**
 * Counts the figures of each day of the last year in advance, so that reports open at once. The store keeps them
 * (figure-cache.ts).
 */
function figureCounter({ reports, calls }: Pick<Store, 'reports' | 'calls'>) {
  const counted = new Map<number, Temporal.PlainDate>();
  return async (accounts: readonly Account[], now: number): Promise<void> => {
    const there = new Set(accounts.map(({ id }) => id));
    for (const id of counted.keys()) if (!there.has(id)) counted.delete(id);
    for (const { id, timeZone } of accounts) {
      const zone = timeZone ?? machineZone();
      const today = dateAt(now, zone);
      const oldest = { account: id, filter: noFilter, towards: 'newer', from: null, limit: 1 } as const;
      const [first] = (await calls.page(oldest)).calls;
      if (first === undefined) continue;
      const from = [counted.get(id), dateAt(first.startedAt, zone), today.subtract({ days: 365 })]
        .filter((date) => date !== undefined)
        .reduce((a, b) => (Temporal.PlainDate.compare(a, b) < 0 ? b : a));
      const days = daysBetween(from, today.subtract({ days: 1 }), zone);
      for await (const _ of reports.figures(id, days, now));
      counted.set(id, today);
    }
  };
}

/** Runs retention, closes calls whose end never came, counts figures and mails weekly reports, from time to time. Returns a function that stops it. */
export function startUpkeep(options: {
  readonly store: Store;
  readonly retention: Retention;
  readonly mailer: Mailer | undefined;
  readonly screens: Pick<Screens, 'publish'>;
  readonly directory: Pick<ServiceDirectory, 'accounts' | 'extensions'>;
  /** The service's address as people reach it. */
  readonly origin: string;
  readonly clock: () => number;
  readonly log: Log;
}): () => void {
  const { store, retention, mailer, screens, directory, origin, clock, log } = options;
  const countFigures = figureCounter(store);
  const dropNumbers = numberDropper(store);
  const stops = [
    every(
      RETENTION_MS,
      async () => {
        await applyRetention(store, retention, clock(), log);
        const entries = await dropNumbers(directory.accounts(), clock());
        if (entries > 0) log.say('service.trimmed', { entries, what: 'callers of calls' });
      },
      (error) => log.say('service.trim-failed', { error }),
    ),
    every(
      CLOSE_MS,
      () => closeStaleCalls({ store, screens }, directory.accounts(), clock()),
      () => {}, // a minute later, again
    ),
    every(
      FIGURES_MS,
      () => countFigures(directory.accounts(), clock()),
      () => {}, // the next report counts them
    ),
    every(
      WEEKLY_MS,
      async () => {
        if (mailer !== undefined) await sendWeeklyReports({ store, directory, mailer, origin, log }, clock());
      },
      (error) => log.say('service.weekly-reports-failed', { error }),
    ),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

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
async function applyRetention(
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
