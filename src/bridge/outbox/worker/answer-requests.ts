import type { ThreadRequest } from '../../../shared/storage/thread-messages.ts';
import { appendTogether, type IntakeBatch } from '../tables/intake.ts';
import type { Store, StoreOp } from './store.ts';

/** Those that only read need no transaction, and no room on the disk. */
const kinds: Readonly<Record<StoreOp, 'reads' | 'writes'>> = {
  load: 'reads',
  trunks: 'reads',
  due: 'reads',
  nextDue: 'reads',
  counters: 'reads',
  oldestWaiting: 'reads',
  eventsOf: 'reads',
  ledgerEntries: 'reads',
  callIdsFrom: 'reads',
  backfill: 'reads',
  saveDryBackfill: 'writes',
  lastDelivered: 'reads',
  check: 'reads',
  append: 'writes',
  record: 'writes',
  expire: 'writes',
  sendAgain: 'writes',
  prune: 'writes',
  pruneUnreported: 'writes',
  pruneJournal: 'writes',
};

export const onlyReads = ({ name }: ThreadRequest) => kinds[name as StoreOp] === 'reads';

/** The answers to these requests, in order, all of one transaction; or throws and has done none. */
export function answerAll(store: Store, requests: readonly ThreadRequest[]): unknown[] {
  const each = () => requests.flatMap((one, i) => answerOrAppend(store, requests, one, i));
  return requests.every(onlyReads) ? each() : store.transact(each);
}

/** Appends that follow each other are written together, by the first of them: that takes far fewer statements. */
function answerOrAppend(
  store: Store,
  requests: readonly ThreadRequest[],
  one: ThreadRequest,
  i: number,
): unknown[] {
  if (one.name !== 'append') return [answer(store, one)];
  if (requests[i - 1]?.name === 'append') return [];
  const end = requests.findIndex(({ name }, at) => at > i && name !== 'append');
  const batches = requests
    .slice(i, end < 0 ? requests.length : end)
    .map(({ args }) => args[0] as IntakeBatch);
  return appendTogether(store.ops.append, batches);
}

function answer(store: Store, { name, args }: ThreadRequest): unknown {
  const op = store.ops[name as StoreOp] as (...args: readonly unknown[]) => unknown;
  return op(...args);
}
