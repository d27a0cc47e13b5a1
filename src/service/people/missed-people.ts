import { sortWithPauses } from '../kit/event-loop-pauses.ts';
import { createSharedReads } from '../store/statements.ts';
import { actionsSince, type CallBack, callBacks, isHolding } from './call-backs.ts';
import type { CallerStore } from './caller-store.ts';

/** How long a missed caller is listed: a week, so that no one is forgotten over a weekend. */
export const LISTED_MS = 7 * 24 * 3_600_000;

/** In order. `more`: there may be others, that were missed before these. */
type MissedPeople = { readonly people: CallBack[]; readonly more: boolean };

export type MissedPeopleReader = ReturnType<typeof createMissedPeopleReader>;

/** Reads an account's missed people. `userNames`: of its users, all when absent. */
export function createMissedPeopleReader(
  callers: CallerStore,
  clock: () => number,
  userNames?: (account: number) => Promise<readonly string[]>,
) {
  /** All of them, the newest of very many, or those with these numbers. */
  async function read(account: number, numbers?: readonly string[]): Promise<MissedPeople> {
    const since = clock() - LISTED_MS;
    const called = numbers && (await callers.missedAmong(account, since, numbers));
    const missed = called
      ? await Promise.all(called.map((number) => callers.missedCallers(account, since, number)))
      : [await callers.missedCallers(account, since)];
    const listed = missed.flatMap((one) => one.callers);
    const actions = await actionsSince(callers, account, since, called);
    const notes = await callers.newestNotes(
      account,
      listed.map(({ call: { number } }) => number),
      since,
    );
    const names = actions.some(isHolding) ? await userNames?.(account) : undefined;
    const people = await callBacks(
      listed,
      await sortWithPauses([...notes, ...actions], ({ at }) => at),
      (name) => names?.includes(name) ?? true,
    );
    return { people, more: numbers === undefined && missed.some(({ more }) => more) };
  }

  return { read, readAll: createSharedReads((account: number) => read(account)) };
}
