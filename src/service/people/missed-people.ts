import { sortWithPauses } from '../kit/event-loop-pauses.ts';
import { createSharedReads } from '../store/statements.ts';
import { actionsSince, type CallBack, callBacks, endOf, isHolding } from './call-backs.ts';
import type { CallerStore } from './caller-store.ts';
import type { Promised } from './missed-caller-store.ts';

/** How long a missed caller is listed, or one who was promised to be called at a time: a week, so that no one is forgotten over a weekend. */
export const LISTED_MS = 7 * 24 * 3_600_000;

/**
 * Since when missed calls list a number, Unix ms, given the promises about it, newest first: whoever was listed when a
 * promise was made stays for a week after it is due.
 */
export function listedSince(promises: readonly Pick<Promised, 'at' | 'due'>[], now: number): number {
  let listed = now;
  for (const { at, due } of promises) if (due + LISTED_MS >= listed) listed = Math.min(listed, at);
  return listed - LISTED_MS;
}

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
    const now = clock();
    const since = now - LISTED_MS;
    const called = numbers && (await callers.missedAmong(account, since, numbers));
    const promises = await callers.promises(account, { since, due: since, among: numbers });
    const promised = new Map(
      Array.from(
        Map.groupBy(promises, ({ number }) => number),
        ([number, those]) => [number, listedSince(those, now)],
      ),
    );
    const missed = called
      ? await Promise.all(called.map((number) => callers.missedCallers(account, since, number)))
      : [await callers.missedCallers(account, since)];
    for (const [number, from] of promised) missed.push(await callers.missedCallers(account, from, number));
    const listed = missed.flatMap((one) => one.callers);
    const earliest = Math.min(since, ...promised.values());
    const actions = await actionsSince(callers, account, since, called);
    const older =
      promised.size > 0 ? await actionsSince(callers, account, earliest, [...promised.keys()]) : [];
    const notes = await callers.newestNotes(
      account,
      listed.map(({ call: { number } }) => number),
      earliest,
    );
    const all = [
      ...older.filter(({ number, at }) => at >= (promised.get(number) ?? 0)),
      ...actions.filter(({ number }) => !promised.has(number)),
    ];
    const names = all.some(isHolding) ? await userNames?.(account) : undefined;
    const people = await callBacks(
      listed,
      await sortWithPauses(
        [...notes.filter(({ number, at }) => at >= (promised.get(number) ?? since)), ...all],
        ({ at }) => at,
      ),
      (name) => names?.includes(name) ?? true,
      now,
    );
    return {
      people: people.filter((one) => one.due !== null || endOf(one) >= since),
      more: numbers === undefined && missed.some(({ more }) => more),
    };
  }

  return { read, readAll: createSharedReads((account: number) => read(account)) };
}
