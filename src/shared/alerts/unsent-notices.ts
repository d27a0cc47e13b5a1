import type { Notice } from './alert-rules.ts';

/** Delay before the next attempt to a target that failed, ms; it doubles with each failure, up to the longest. */
const retryMs = 30_000;
const longestRetryMs = 15 * 60_000;
/** More unsent notices of one target are dropped, oldest first. */
const mostUnsent = 50;

type Target = {
  readonly notices: readonly Notice[];
  /** Those under way; undefined while nothing is. */
  readonly sending?: readonly Notice[] | undefined;
  /** In a row. */
  readonly failures: number;
  /** Unix ms before which nothing is sent. */
  readonly nextAt: number;
  /** Why the last attempt failed; empty if it did not. */
  readonly error: string;
};

/** What is still to be sent, by the name of the target. */
export type Unsent = Readonly<Record<string, Target>>;

const working = { failures: 0, nextAt: 0, error: '' } as const;

/** Those of these targets, with what was kept for them. */
export const unsentTo = (
  targets: readonly string[],
  kept: Readonly<Record<string, readonly Notice[]>>,
): Unsent => Object.fromEntries(targets.map((name) => [name, { ...working, notices: kept[name] ?? [] }]));

/** What is to be kept across restarts. */
export const noticesOf = (unsent: Unsent): Record<string, readonly Notice[]> =>
  Object.fromEntries(Object.entries(unsent).map(([name, { notices }]) => [name, notices]));

/** Everybody gets these. */
export const withNotices = (unsent: Unsent, more: readonly Notice[]): Unsent =>
  Object.fromEntries(
    Object.entries(unsent).map(([name, target]) => [
      name,
      { ...target, notices: [...target.notices, ...more].slice(-mostUnsent) },
    ]),
  );

/** Begins to send to this target, if there is something to send and it is time. */
export function began(unsent: Unsent, name: string, now: number): Unsent {
  const target = unsent[name];
  if (!target || target.sending || target.notices.length === 0 || now < target.nextAt) return unsent;
  return { ...unsent, [name]: { ...target, sending: target.notices } };
}

/** What was under way is sent, or refused with this error. */
export function ended(unsent: Unsent, name: string, now: number, error?: string): Unsent {
  const target = unsent[name];
  if (!target) return unsent;
  const { sending, failures } = target;
  const rest = target.notices.filter((notice) => !sending?.includes(notice));
  const after =
    error === undefined
      ? { ...target, ...working, notices: rest }
      : {
          ...target,
          error,
          failures: failures + 1,
          nextAt: now + Math.min(retryMs * 2 ** failures, longestRetryMs),
        };
  return { ...unsent, [name]: { ...after, sending: undefined } };
}
