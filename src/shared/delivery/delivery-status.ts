import type { Flow } from './flow.ts';

/** Times are Unix ms. */
export type DeliveryStatus = {
  readonly state: Flow['state'];
  /** Why it is not `ok`. */
  readonly reason?: string;
  readonly since: number;
  /** When the next attempt is made, if it is not `ok`. */
  readonly nextTryAt?: number;
  readonly inFlight: number;
  /** Attempts that are not recorded on disk yet. */
  readonly unrecorded: number;
  /** Since the start. */
  readonly delivered: number;
  readonly failedAttempts: number;
  readonly deadLetters: number;
  readonly lastDeliveredAt?: number;
};
