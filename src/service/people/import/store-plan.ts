import { createPause, pieces } from '../../kit/event-loop-pauses.ts';
import { en } from '../../words/en.ts';
import type { Words } from '../../words/words.ts';
import {
  isSameCustomer,
  NUMBERS_AT_ONCE,
  type PutRefusal,
  type ReplaceCustomers,
} from '../customer-writer.ts';
import { refusalText } from '../refusal-text.ts';
import type { Segment } from '../segment-store.ts';
import { type FindCustomers, readKnown } from './known-customers.ts';
import { isStorable, type PlannedCustomer, planCustomers, type Storable } from './plan-import.ts';

/** How often customers are planned again that others have changed since they were read. */
const ATTEMPTS = 5;

/** Throws what ends an import, such as that who sent it has been signed out. */
export type GoOn = () => void | Promise<void>;

/** Where a plan is stored. */
type PlanTarget = {
  readonly find: FindCustomers;
  segments(): Promise<readonly Segment[]>;
  replace(replacement: Parameters<ReplaceCustomers>[1]): Promise<PutRefusal | null>;
};

/**
 * Stores a plan and returns what has become of each customer. Those who give numbers to each other are stored together, so
 * that a number is with one of them at any time. Customers who have changed since they were read are planned again; if
 * somebody has seen the plan (`isSeen`), they are refused, and who gives numbers to them or gets theirs.
 */
export async function storePlan(
  plan: readonly PlannedCustomer[],
  target: PlanTarget,
  {
    words = en,
    isSeen = false,
    progress = () => {},
    goOn = () => {},
  }: {
    readonly words?: Words | undefined;
    readonly isSeen?: boolean | undefined;
    /** Told how many are stored, after each batch. */
    readonly progress?: (stored: number) => void;
    /** Asked before each batch; ends it by throwing. */
    readonly goOn?: GoOn | undefined;
  },
): Promise<PlannedCustomer[]> {
  const outcomes = new Map<PlannedCustomer['imported'], PlannedCustomer>();
  const storable: Storable[] = [];
  for await (const some of pieces(plan))
    for (const planned of some) {
      outcomes.set(planned.imported, planned);
      if (isStorable(planned)) storable.push(planned);
    }
  let stored = 0;

  async function replace(group: readonly Storable[]): Promise<PutRefusal | null> {
    await goOn();
    return target.replace({
      before: group.flatMap(({ before }) => before ?? []),
      after: group.map(({ after }) => after),
    });
  }

  const refuse = ({ imported, before }: Storable, refusal: string) =>
    outcomes.set(imported, { imported, before, refusal, left: [], kept: [] });

  /** Plans customers as they are now; those who cannot be stored are refused. */
  async function planAgain(group: readonly Storable[]): Promise<Storable[]> {
    const known = await readKnown(
      target.find,
      group.flatMap(({ after }) => [after.reference, ...after.numbers]),
      group.flatMap(({ imported }) => [...(imported.numbers?.keys() ?? [])]),
    );
    const segments = new Set((await target.segments()).map(({ name }) => name));
    const isChanged = ({ before, after }: Storable) => {
      const now = known.byReference.get(after.reference);
      return now && before ? !isSameCustomer(now, before) : now !== before;
    };
    // A number must not leave one of them and not reach the other.
    if (isSeen && group.some(isChanged)) {
      for (const one of group) refuse(one, words.importing.changed);
      return [];
    }
    const again = await planCustomers(
      group.map(({ imported }) => imported),
      known,
      (name) => segments.has(name),
      words,
    );
    for (const planned of again) outcomes.set(planned.imported, planned);
    return again.filter(isStorable);
  }

  async function storeGroup(group: readonly Storable[]): Promise<void> {
    let rest = group;
    for (let attempt = 0; rest.length > 0; attempt += 1) {
      const outcome = await replace(rest);
      if (outcome === null) {
        stored += rest.length;
        return;
      }
      if (attempt === ATTEMPTS) {
        const text = outcome === 'changed' ? words.importing.changed : refusalText(outcome, words.customers);
        for (const one of rest) refuse(one, text);
        return;
      }
      rest = await planAgain(rest);
    }
  }

  async function storeGroups(groups: Iterable<readonly Storable[]>): Promise<void> {
    for (const batch of batchesOf(groups)) {
      const [first = [], ...others] = batch;
      const all = batch.flat();
      if (first.length > 1 && sizeOf(first) > NUMBERS_AT_ONCE)
        await storeGroups((await withoutGiven(first)).map((one) => [one]));
      else if (others.length > 0 && (await replace(all)) === null) stored += all.length;
      else for (const group of batch) await storeGroup(group);
      progress(stored);
    }
  }

  /**
   * Takes from more customers than are stored together, such as those of a table with a column that was sorted without
   * the others, what they give to each other. Until they are stored, it has no customer.
   */
  async function withoutGiven(group: readonly Storable[]): Promise<Storable[]> {
    const keeping = (one: Storable): Storable => {
      const numbers = one.before?.numbers.filter((number) => one.after.numbers.includes(number));
      return one.before && numbers ? { ...one, after: { ...one.before, numbers } } : one;
    };
    const given: Storable[] = [];
    for await (const some of pieces(group)) given.push(...some.map(keeping));
    const less = new Map<Storable, Storable>();
    const known = given.filter(({ before }) => before !== undefined).map((one) => [one]);
    for (const batch of batchesOf(known)) {
      const part = batch.flat();
      const isDone = (await replace(part)) === null;
      for (const one of part) if (isDone || (await replace([one])) === null) less.set(one, one);
    }
    return group.map((one, at) => {
      const lessened = less.get(given[at] as Storable);
      return lessened ? { ...one, before: lessened.after } : one;
    });
  }

  await storeGroups(await groupsOf(storable));
  const stores: PlannedCustomer[] = [];
  for await (const some of pieces(plan))
    stores.push(...some.flatMap(({ imported }) => outcomes.get(imported) ?? []));
  return stores;
}

/** How many numbers some customers have, or had, as far as they are stored together. */
function sizeOf(some: readonly Storable[]): number {
  let size = 0;
  for (const { before, after } of some) {
    size += Math.max(1, new Set(before?.numbers).union(new Set(after.numbers)).size);
    if (size > NUMBERS_AT_ONCE) break;
  }
  return size;
}

/** Groups in batches of {@link NUMBERS_AT_ONCE}; a larger group is one of its own. */
function* batchesOf(groups: Iterable<readonly Storable[]>): Generator<(readonly Storable[])[]> {
  let batch: (readonly Storable[])[] = [];
  let size = 0;
  for (const group of groups) {
    const more = sizeOf(group);
    if (size + more > NUMBERS_AT_ONCE && size > 0) {
      yield batch;
      [batch, size] = [[], 0];
    }
    batch.push(group);
    size += more;
  }
  if (size > 0) yield batch;
}

/** Customers who give numbers to each other, in the order of the first of each group. */
async function groupsOf(plan: readonly Storable[]): Promise<Set<Storable[]>> {
  const pause = createPause();
  const owners = new Map<string, Storable>();
  const groups = new Map<Storable, Storable[]>();
  for (const one of plan) {
    await pause();
    for (const number of one.before?.numbers ?? []) owners.set(number, one);
    groups.set(one, [one]);
  }
  for (const one of plan) {
    await pause();
    for (const number of one.after.numbers) {
      const group = groups.get(one) ?? [];
      const other = groups.get(owners.get(number) ?? one) ?? [];
      if (group === other) continue;
      const [larger, smaller] = group.length < other.length ? [other, group] : [group, other];
      for (const moved of smaller) {
        larger.push(moved);
        groups.set(moved, larger);
      }
    }
  }
  const all = new Set<Storable[]>();
  for await (const some of pieces(groups.values())) for (const group of some) all.add(group);
  return all;
}
