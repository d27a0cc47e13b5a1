import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { SpanFigures } from '../../../src/service/calls/aggregate.ts';
import { noFilter } from '../../../src/service/calls/call-store.ts';
import { openSqliteStore } from '../../../src/service/database/sqlite-store.ts';
import type { Store } from '../../../src/service/database/store.ts';
import { customer } from '../../../src/service/people/customer.fixture.ts';
import { normaliseNumber } from '../../../src/shared/phone-number/normalise-number.ts';
import { stateFolder } from '../service/harness.ts';

/** Customers, so that calls have names and segments. */
export async function addCustomers(store: Store): Promise<void> {
  await store.customers.putSegment(1, { name: 'VIP', priority: 10 });
  await store.customers.put(1, [
    customer({ reference: '1', name: 'Ann', segment: 'VIP', numbers: ['+4930901820'] }),
    customer({ reference: '2', name: 'Bob', numbers: ['110'] }),
  ]);
}

/** The history, reported again to one process on SQLite, in the order in which it was recorded. */
export async function replay(t: TestContext, store: Store): Promise<Store> {
  const replayed = await openSqliteStore(join(stateFolder(t), 'service.db'));
  t.after(() => replayed.close());
  await replayed.directory.addAccount({ uid: 'a', name: 'Main', country: 'DE' });
  await replayed.directory.addIntegration({ uid: 'i', account: 1, name: 'Phone system', createdAt: 0 });
  await addCustomers(replayed);
  const entries = await Array.fromAsync(store.requests.all({ account: 1, search: null, order: 'oldest' }));
  for (const entry of entries.flat().sort((a, b) => a.id - b.id)) {
    const { id, status, from, caller_id } = JSON.parse(entry.request as string);
    await replayed.requests.record({
      ...entry,
      account: 1,
      began: 0,
      callId: id,
      fromNumber: from,
      event: { id, status, from, number: normaliseNumber(from, 'DE'), callerId: caller_id ?? null },
    });
  }
  return replayed;
}

export async function allCalls(store: Store, account = 1) {
  const calls = [];
  let from = null;
  do {
    const page = await store.calls.page({ account, filter: noFilter, towards: 'newer', from, limit: 500 });
    calls.push(...page.calls);
    from = page.next;
  } while (from !== null);
  return calls.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** All that the screens, the activity and the reports show, and how much history there is. */
export async function everything(store: Store, account = 1) {
  const calls = await allCalls(store, account);
  const since = Math.min(...calls.map(({ startedAt }) => startedAt));
  const spans = [-2, -1, 0, 1].map((hour) => ({
    since: (Math.floor(since / 3_600_000) + hour) * 3_600_000,
    until: (Math.floor(since / 3_600_000) + hour + 1) * 3_600_000,
  }));
  const figures = await Array.fromAsync(store.reports.figures(account, spans, Date.now()));
  const { total } = await store.requests.page({
    account,
    order: 'oldest',
    offset: 0,
    limit: 1,
  });
  return { calls, figures: figures.map(sorted), total, use: await store.requests.use(account, 0) };
}

/** Groups are in no order. */
function sorted(figures: SpanFigures): SpanFigures {
  const byName = (groups: SpanFigures['segments']) => groups.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return {
    ...figures,
    extensions: byName(figures.extensions),
    segments: byName(figures.segments),
    integrations: byName(figures.integrations),
  };
}
