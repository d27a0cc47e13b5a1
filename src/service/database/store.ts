import type { DirectoryStore } from '../accounts/directory-store.ts';
import type { AuditStore } from '../audit/audit-store.ts';
import type { ReportStore } from '../calls/aggregate.ts';
import type { CallRecord } from '../calls/call-record.ts';
import type { CallFeed, CallStore } from '../calls/call-store.ts';
import type { RequestStore } from '../history/request-store.ts';
import type { CallerStore } from '../people/caller-store.ts';
import type { CustomerStore } from '../people/customer-store.ts';
import type { WeeklyStore } from '../reports/weekly-store.ts';
import type { StoreAbout } from '../store/statements.ts';
import type { UserStore } from '../users/user-store.ts';
import type { WebhookStore } from '../webhooks/webhook-rows.ts';

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
  readonly customers: CustomerStore;
  readonly users: UserStore;
  readonly weekly: WeeklyStore;
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
  close(): Promise<void>;
}
