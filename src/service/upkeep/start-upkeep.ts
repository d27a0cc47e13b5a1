import type { Log } from '../../log/log.ts';
import type { Mailer } from '../../mail/mail.ts';
import type { Account } from '../store/directory-store.ts';
import type { Store } from '../store/store.ts';
import { every } from './every.ts';
import { applyRetention, type Retention } from './retention.ts';
import { sendWeeklyReports } from './weekly-mail.ts';

const RETENTION_MS = 60_000;
const WEEKLY_MS = 3_600_000;

/** Deletes what is too old and mails weekly reports, from time to time. Returns a function that stops it. */
export function startUpkeep(options: {
  readonly store: Store;
  readonly retention: Retention;
  readonly mailer: Mailer | undefined;
  readonly accounts: () => readonly Account[];
  /** The service's address as people reach it. */
  readonly origin: () => string;
  readonly clock: () => number;
  readonly log: Log;
}): () => void {
  const { store, retention, mailer, accounts, origin, clock, log } = options;
  const stops = [
    every(
      RETENTION_MS,
      () => applyRetention(store, retention, clock(), log),
      (error) => log.say('service.trim-failed', { error }),
    ),
    every(
      WEEKLY_MS,
      async () => {
        if (mailer !== undefined)
          await sendWeeklyReports({ store, mailer, origin: origin(), log }, accounts(), clock());
      },
      (error) => log.say('service.weekly-reports-failed', { error }),
    ),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
