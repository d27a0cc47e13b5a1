import { type AccountData, accountData } from '../accounts/account-data.ts';
import { createDirectoryStore, type DirectoryStore } from '../accounts/directory-store.ts';
import { type AuditStore, auditRows } from '../audit/audit-store.ts';
import type { ReportStore } from '../calls/aggregate.ts';
import { callReader } from '../calls/call-reader.ts';
import type { CallRecord } from '../calls/call-record.ts';
import { callRemoval } from '../calls/call-removal.ts';
import { createCallSlices } from '../calls/call-slices.ts';
import { type CallFeed, type CallStore, cursorPaging } from '../calls/call-store.ts';
import type { RequestStore } from '../history/request-store.ts';
import { createNotificationStore, type NotificationStore } from '../notifications/notification-store.ts';
import { type CallerStore, createCallerStore } from '../people/caller-store.ts';
import type { CustomerStore } from '../people/customer-store.ts';
import { createFigureCache, type FiguresEngine } from '../reports/figure-cache.ts';
import { type WeeklyStore, weeklyRows } from '../reports/weekly-store.ts';
import type { Serialise, Statements, StoreAbout } from '../store/statements.ts';
import { createUserStore, type UserStore } from '../users/user-store.ts';
import type { CallChanges } from '../webhooks/event-queue-store.ts';
import { createWebhookStore, type WebhookStore } from '../webhooks/webhook-store.ts';

/**
 * What the service needs of its storage. SQLite and PostgreSQL implement it, and run the same conformance
 * suite. Times of day are Unix milliseconds and are passed in.
 * A promise that resolves means: on disk. One that rejects means: not stored (a full disk, a closed store).
 */
export interface Store {
  readonly requests: RequestStore;
  readonly calls: CallStore;
  readonly callers: CallerStore;
  readonly reports: ReportStore;
  readonly directory: DirectoryStore;
  readonly accountData: AccountData;
  readonly customers: CustomerStore;
  readonly users: UserStore;
  readonly weekly: WeeklyStore;
  readonly notifications: NotificationStore;
  readonly webhooks: WebhookStore;
  readonly audit: AuditStore;
  /**
   * The newest `max` calls of an account that are not completed, oldest first; includes all requests given to `record`
   * before.
   */
  openCalls(account: number, max: number): Promise<CallRecord[]>;
  readonly otherProcesses: CallFeed;
  /** Runs work that only one process may do at a time, such as adding the first account. */
  withLock<T>(work: () => Promise<T>): Promise<T>;
  about(): Promise<StoreAbout>;
  /**
   * Leaves nothing of what was removed in files next to the database, as far as the engine lets the service. False if somebody
   * who reads the database keeps it there.
   */
  purge(): Promise<boolean>;
  close(): Promise<void>;
}

/** Calls that a slice of an activity page reads. */
const CALLS = 5_000;

/** What rooms keep by statements that both engines take. */
export function roomStores(
  statements: Statements,
  engine: {
    readonly customers: CustomerStore;
    /** For reads of many calls. */
    readonly serialise: Serialise;
    readonly figures: FiguresEngine;
    readonly callChanges: CallChanges;
    /** Called after a user did something about a missed caller of the account. */
    readonly onCallerAction?: (account: number) => void;
  },
) {
  const { customers, serialise, figures, callChanges, onCallerAction } = engine;
  const calls = callReader(statements);
  const { slice } = createCallSlices(statements, CALLS);
  return {
    calls: {
      ...calls,
      ...callRemoval(statements, calls),
      page: cursorPaging((query) => serialise(() => slice(query)), customers),
    },
    callers: createCallerStore(statements, serialise, onCallerAction),
    reports: { figures: createFigureCache(figures) },
    directory: createDirectoryStore(statements),
    accountData: accountData(statements),
    customers,
    users: createUserStore(statements),
    weekly: weeklyRows(statements),
    notifications: createNotificationStore(statements),
    webhooks: createWebhookStore(statements, callChanges),
    audit: auditRows(statements),
  } satisfies Partial<Store>;
}
