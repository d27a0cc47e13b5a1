import assert from 'node:assert/strict';
import type { CallStatus } from '../../src/api/contract/call-status.ts';
import { makeCallBackList } from '../../src/service/callers/call-back-list.ts';
import type { CallRecord } from '../../src/service/calls/call-record.ts';
import { makeScreens } from '../../src/service/calls/screens.ts';
import { everyCall } from '../../src/service/store/call-store.ts';
import type { Store } from '../../src/service/store/store.ts';

/** What "To call back" asks of every store: see service-store-conformance.ts. */
export const callBackTests: Record<
  string,
  (context: { store: Store; account: number; other: number }) => Promise<void>
> = {
  async 'whoever was missed is to be called back, however often one number calls; Done takes away one'({
    store,
    account,
    other,
  }) {
    const list = makeCallBackList(store.callers, makeScreens(), () => NOW);
    const open = async () => (await list.read(account)).filter(({ closed }) => closed === null);
    const numbers = async () => (await open()).map(({ number }) => number);
    const isRight = async (done: readonly string[] = []) => {
      const found = await numbers();
      assert.deepEqual(found, await unreached(store, account, done));
      const { missed, others } = await list.onScreen(account);
      assert.deepEqual(
        [...missed, ...others].map(({ number }) => number),
        found,
        'screens count all',
      );
    };
    const miss = (of: number, number: string, at: number, id: string) => call(store, of, number, at, id);

    await Promise.all(people(300).map((number, n) => miss(account, number, n * MINUTE, `one-${n}`)));
    await isRight();
    assert.equal((await open()).length, 300);
    await Promise.all(
      Array.from({ length: 600 }, (_, n) => miss(account, robot, (400 + n) * MINUTE, `robot-${n}`)),
    );
    await Promise.all(
      [...people(3), 'anonymous'].map((number, n) => miss(other, number, 9 * MINUTE, `theirs-${n}`)),
    );
    await miss(account, 'anonymous', 2000 * MINUTE, 'withheld');
    await miss(account, '+4930777', -8 * DAY, 'long ago');
    await isRight();
    assert.equal((await open()).length, 301);
    assert.deepEqual(
      (await open()).slice(0, 1).map(({ number, call: { id }, times }) => [number, id, times]),
      [[robot, 'robot-599', 600]],
    );
    const done = async (number: string) =>
      list.act(account, { number, kind: 'done', at: NOW, user: 'Ann', text: null });
    await done(robot);
    await isRight([robot]);
    assert.equal((await open()).length, 300);

    const [called, answered] = people(2) as [string, string];
    await done(called);
    await call(store, account, answered, 1100 * MINUTE, 'through', '1001');
    await isRight([robot, called]);
    assert.equal((await open()).length, 298);
    assert.deepEqual(
      (await list.read(account, answered)).map(({ number, closed }) => [number, closed?.how]),
      [[answered, 'reached']],
    );

    // More than are read in one go.
    await Promise.all(
      people(1000)
        .slice(300)
        .map((number, n) => miss(account, number, (2000 + n) * MINUTE, `more-${n}`)),
    );
    await isRight([robot, called]);
    assert.equal((await open()).length, 998);
  },

  async 'a missed caller has the newest call, all of the span, and what was answered after and at last'({
    store,
    account,
  }) {
    const missed = async (since: number, number?: string) =>
      (await store.callers.missedCallers(account, since, number))
        .map((one) => [one.call.number, one.call.id, one.calls.length, one.reached, one.answeredAt])
        .sort();
    await call(store, account, '110', 10, 'a');
    await call(store, account, '110', 20, 'b', '1001');
    await call(store, account, '110', 30, 'c');
    await call(store, account, '112', 40, 'd');
    await call(store, account, '112', 50, 'e');
    await call(store, account, '113', 60, 'f', '1001');
    const before = [
      ['110', 'c', 2, null, NOW_0 + 20],
      ['112', 'e', 2, null, null],
    ];
    assert.deepEqual(await missed(NOW_0), before);
    assert.deepEqual(await missed(NOW_0, '110'), before.slice(0, 1));
    assert.deepEqual(await missed(NOW_0, '113'), []);
    assert.deepEqual(await missed(NOW_0 + 49), [['112', 'e', 1, null, null]], 'by the end of a call');
    await call(store, account, '110', 70, 'g', '1002');
    await call(store, account, '110', 80, 'h', '1003');
    const reached = { id: 'g', at: NOW_0 + 71, by: '1002' };
    assert.deepEqual(await missed(NOW_0, '110'), [['110', 'c', 2, reached, NOW_0 + 80]]);
  },
};

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const NOW_0 = 1_800_000_000_000;
/** Four days after the first call, which is at 0. */
const NOW = NOW_0 + 4 * DAY;
const robot = '+49309999999';
const people = (count: number) => Array.from({ length: count }, (_, n) => `+4930555${10_000 + n}`);

/** A call that begins so long after NOW_0, and is answered after 1 ms, if at all. */
async function call(
  store: Store,
  account: number,
  number: string,
  at: number,
  id: string,
  answeredBy: string | null = null,
): Promise<void> {
  const steps: CallStatus[] = ['ringing', ...(answeredBy ? ['answered' as const] : []), 'completed'];
  for (const [ms, status] of steps.entries())
    await store.requests.record({
      ...{ account, integration: 1, at: NOW_0 + at + ms, began: 0, method: 'POST', path: '/', request: '{}' },
      ...{ status: 200, response: null, callId: id, fromNumber: number },
      event: { id, status, from: number, number, callerId: answeredBy },
    });
}

/** The numbers of missed calls of the last seven days that nobody has reached since, newest first: by the calls themselves. */
async function unreached(store: Store, account: number, done: readonly string[]): Promise<string[]> {
  const calls: CallRecord[] = [];
  let from = null;
  do {
    const page = { account, filter: everyCall, towards: 'older', from, limit: 500 } as const;
    const read = await store.calls.page(page);
    calls.push(...read.calls);
    from = read.next;
  } while (from !== null);
  const seen = new Set<string>(['anonymous', ...done]);
  return calls
    .filter(({ number, missed, completedAt }) => {
      if (seen.has(number)) return false;
      seen.add(number);
      return missed && (completedAt ?? 0) >= NOW - 7 * DAY;
    })
    .map(({ number }) => number);
}
