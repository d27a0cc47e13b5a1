import { isInForce } from '../rules/time-limit.ts';
import { ChangeRefused } from '../store/change-refused.ts';
import * as english from '../words/refused-changes.ts';

/**
 * How many of a kind an account can have; users, if the operator has set no other number. A page that lists them, or a
 * form that offers them, shows no more at once. An account of version 1.0.0 that has more keeps them, and gets no new
 * ones.
 */
export const accountLimits = { segments: 200, extensions: 2_000, integrations: 200, users: 500 } as const;

/** Webhooks and programs get the events of this many days: their calls still have the callers. */
export const LEAST_KEPT_DAYS = 7;

/** Most days after which an account's calls can lose their numbers: calls are deleted after `callsKeptMs`; undefined: never. */
export const mostKeptDays = (callsKeptMs: number | undefined): number =>
  callsKeptMs === undefined ? 3650 : Math.max(LEAST_KEPT_DAYS, Math.floor(callsKeptMs / 86_400_000));

/** The account has as many as it can have. */
export function limitReached(kind: 'segments' | 'extensions' | 'integrations'): ChangeRefused {
  const most = accountLimits[kind];
  return new ChangeRefused(422, english.limitReached[kind](most), ({ errors }) =>
    errors.limitReached[kind](most),
  );
}

/** A table names this many segments that do not exist, too many to create. */
export function tooManySegments(missing: number): ChangeRefused {
  const most = accountLimits.segments;
  return new ChangeRefused(422, english.tooManySegments(missing, most), ({ importing }) =>
    importing.tooManySegments(missing, most),
  );
}

/** Another account has the name, as people compare names. */
export const accountNameTaken = (name: string): ChangeRefused =>
  new ChangeRefused(409, `There is an account "${name}".`, ({ formErrors }) => formErrors.nameTaken);

/** Commands would read the name as the uid of an account. */
export const accountNameIsUid = (name: string): ChangeRefused =>
  new ChangeRefused(
    422,
    `The name "${name}" looks like the uid of an account. Choose another name.`,
    ({ formErrors }) => formErrors.invalid,
  );

/** Another request has just replaced the token or secret. */
export const tokenReplaced = (): ChangeRefused =>
  new ChangeRefused(
    409,
    'It was replaced a moment ago by another request. Read it again before you replace it.',
    ({ formErrors }) => formErrors.tokenReplaced,
  );

/** How long a token or secret that is replaced can still be accepted. */
export const MOST_OLD_DAYS = 7;

/** Whether one that is replaced is still accepted. `until`: as it is stored. */
export const isOldInForce = (until: number | null, now: number): until is number =>
  until !== null && isInForce(until, MOST_OLD_DAYS * 86_400_000, now);

/**
 * Until when a token or secret that is replaced now is good for `days` more days, Unix ms; null for 0, which ends all at once.
 * @param until until when the one before it is
 * @throws ChangeRefused if that is still good: another replacement would end it early
 */
export function goodUntil(until: number | null, days: number, now: number): number | null {
  if (days === 0) return null;
  if (until === null || !isOldInForce(until, now)) return now + Math.round(days * 86_400_000);
  throw new ChangeRefused(
    409,
    `The old one is still accepted until ${new Date(until).toISOString()}. End it first, or have all old ones end now (0 days).`,
    ({ formErrors }) => formErrors.oldStillGood,
  );
}

/** Another integration of the account has the name. */
export const integrationNameTaken = (name: string): ChangeRefused =>
  new ChangeRefused(409, `There is an integration "${name}".`, ({ formErrors }) => formErrors.nameTaken);

/** Between the check of a password, or of a link (null), and the change that it allowed, somebody has reset it. */
export const passwordReset = (checked: string | null): ChangeRefused =>
  new ChangeRefused(
    409,
    'The password was reset, or the session ended, a moment ago. Sign in again.',
    ({ signIn }) => (checked === null ? signIn.linkEnded : signIn.wrong),
  );
