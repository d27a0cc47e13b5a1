import type { Extensions } from '../accounts/account.ts';
import { extensionsOf } from '../accounts/extensions.ts';
import { isDialable } from '../calls/call-cells.ts';
import { isMissed, wantsCallBack } from '../calls/call-meaning.ts';
import { type CallRecord, FORGOTTEN } from '../calls/call-record.ts';
import { type CallBack, personOf } from '../people/call-backs.ts';
import type { Choice, Medium } from './notification.ts';

/**
 * How long missed calls are gathered, ms, from the first that is due: they are one message, and a user gets no more than one in
 * that time.
 */
export const GATHER_MS: Readonly<Record<Medium, number>> = { mail: 60_000, push: 10_000 };

/** Nobody hears of older missed calls, ms: after an outage they are history. */
const MAX_AGE_MS = 24 * 3_600_000;

const MINUTE_MS = 60_000;

/** A missed call that a user may have to hear of. */
export type Notice = {
  /** The id of the call's row. */
  readonly row: number;
  /** When the end of the call arrived, Unix ms. */
  readonly at: number;
  readonly call: CallRecord;
  /** Whether the office wants no calls of its customer. */
  readonly blocked: boolean;
};

/** A person of a message: all missed calls, the newest of which is `call`. */
export type MissedPerson = {
  readonly call: CallRecord;
  readonly times: number;
  /** The newest note about the person. */
  readonly note: CallBack['note'];
};

/** Whether `now` is within quiet hours. */
export function isQuiet({ quiet }: Pick<Choice, 'quiet'>, now: number, timeZone: string): boolean {
  if (quiet === null) return false;
  const { hour, minute } = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timeZone);
  const at = hour * 60 + minute;
  const [from, to] = quiet;
  return from < to ? at >= from && at < to : at >= from || at < to;
}

/** Whether it is time to look at a user's notices, the oldest of which is of `oldest`, Unix ms. */
export const isTime = (
  { choice, oldest }: { readonly choice: Choice; readonly oldest: number },
  { now, timeZone, gatherMs }: { readonly now: number; readonly timeZone: string; readonly gatherMs: number },
): boolean => now >= oldest + choice.after * MINUTE_MS + gatherMs && !isQuiet(choice, now, timeZone);

/**
 * Which of a user's notices, oldest first, the user hears of now, by person, who has waited longest first; `done`: the rows of calls that need
 * no message, now or ever; `told`: of those in it. All others wait. `people`: the missed people with these numbers, as they are now.
 */
export function dueNotices(
  notices: readonly Notice[],
  user: { readonly id: number; readonly choice: Choice; readonly extensions: Extensions },
  people: readonly CallBack[],
  now: number,
): {
  readonly tell: readonly MissedPerson[];
  readonly told: readonly number[];
  readonly done: readonly number[];
} {
  const { after } = user.choice;
  const personWith = new Map(people.flatMap((person) => person.numbers.map((number) => [number, person])));
  const isRecent = ({ at }: Notice) => now - at <= MAX_AGE_MS + after * MINUTE_MS;
  const wanted = notices.filter((notice) => isWanted(notice, user) && isRecent(notice));
  const done = new Set(notices.map(({ row }) => row));
  const told: number[] = [];
  const tell: MissedPerson[] = [];
  for (const same of Map.groupBy(wanted, ({ call }) => personOf(call)).values()) {
    const person = same.map(({ call }) => personWith.get(call.number)).find((one) => one !== undefined);
    const open = same.filter((notice) => isOpen(notice, person));
    const [first] = open;
    if (first === undefined) continue;
    const isReady = now >= first.at + after * MINUTE_MS;
    if (isReady && person?.taken) continue;
    for (const { row } of open) done.delete(row);
    if (!isReady) continue;
    told.push(...open.map(({ row }) => row));
    tell.push({ call: (open.at(-1) ?? first).call, times: open.length, note: person?.note ?? null });
  }
  return { tell, told, done: [...done] };
}

/** Whether the user wants to hear of such a call at all. */
function isWanted(
  { call, blocked }: Notice,
  {
    id,
    choice,
    extensions,
  }: { readonly id: number; readonly choice: Choice; readonly extensions: Extensions },
): boolean {
  const { segments, numbersCalled, mine } = choice;
  const { numberCalled } = call.extras;
  if (!isMissed(call) || !wantsCallBack(call) || blocked || call.number === FORGOTTEN) return false;
  if (segments.length > 0 && !segments.includes(call.segment ?? '')) return false;
  if (numbersCalled.length > 0 && !numbersCalled.includes(numberCalled ?? '')) return false;
  // Where the bridge does not say whose phones rang, it may have been the user's.
  if (!mine || call.rang === null) return true;
  const own = extensionsOf(extensions, id);
  return call.rang.some(({ by }) => own.includes(by));
}

/** Whether nobody has reached the caller or called back since. Who has no number cannot be called back. */
const isOpen = ({ call }: Notice, person: CallBack | undefined): boolean =>
  person === undefined ||
  !isDialable(call.number) ||
  (person.closed === null && call.startedAt >= person.since);
