import { join } from 'node:path';
import { customer } from '../../src/service/store/customer.fixture.ts';
import { openSqliteStore } from '../../src/service/store/sqlite/sqlite-store.ts';
import type { Store } from '../../src/service/store/store.ts';
import { monotonicMs } from '../../src/service/upkeep/monotonic-clock.ts';
import { type ReportedEvent, recorded } from './recorded-request.ts';
import type { Served } from './service-harness.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** Texts that strangers choose, each of which has broken a page somewhere. */
export const hostile = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "'; DROP TABLE calls; --",
  '\u202egnp.exe\u202c',
  '=HYPERLINK("https://evil.example","x")',
  `${'x'.repeat(10_000)}`,
  '👩‍👩‍👧‍👦 Ünïcödé \u0001\u0007 ﷽',
  '</style></title><svg/onload=alert(1)>',
  'javascript:alert(1)',
  '../../etc/passwd',
  '{{7*7}} %s %n',
] as const;

/** Writes calls into the store of a running service, as another process would. */
export async function storeCalls(
  { stateDir }: Pick<Served, 'stateDir'>,
  write: (report: Report, store: Store) => Promise<unknown>,
): Promise<void> {
  const store = await openSqliteStore(join(stateDir, 'service.db'));
  try {
    await write((event) => {
      const response = JSON.stringify({ result: 'x'.repeat(48) });
      return store.requests.record({ ...recorded(event), began: monotonicMs(), response });
    }, store);
  } finally {
    await store.close();
  }
}

type Report = (event: ReportedEvent & { readonly at: number }) => Promise<unknown>;

/** The calls of an office: some weeks up to `now`, most of them on weekdays in the morning, some missed. */
export async function storeWeeks(served: Pick<Served, 'stateDir'>, now: number, weeks = 5): Promise<void> {
  const random = chance(7);
  const events: Parameters<Report>[0][] = [];
  const today = Math.floor(now / DAY) * DAY;
  for (let day = today - weeks * 7 * DAY; day <= today; day += DAY) {
    const weekday = new Date(day).getUTCDay();
    const calls = weekday === 0 ? 2 : weekday === 6 ? 9 : 45 + Math.floor(random() * 30);
    for (let n = 0; n < calls; n += 1) {
      const hour = 8 + (random() + random()) * 5;
      const at = day + Math.floor(hour * 60 * MINUTE);
      if (at > now - 30 * MINUTE) continue;
      const caller = Math.floor(random() ** 2 * 60);
      const from = caller === 0 ? '+4930901820' : `+49301234${String(caller).padStart(3, '0')}`;
      const call = { id: `pbx-${Math.floor(at / 1000)}.${n}`, from };
      const waited = 3000 + Math.floor(random() ** 3 * 90_000);
      events.push({ ...call, status: 'ringing', at });
      if (random() < 0.86) {
        const callerId = `100${1 + Math.floor(random() ** 2 * 6)}`;
        events.push({ ...call, status: 'answered', at: at + waited, callerId });
        const talked = 15_000 + Math.floor(random() ** 3 * 1_500_000);
        events.push({ ...call, status: 'completed', at: at + waited + talked, callerId });
      } else events.push({ ...call, status: 'completed', at: at + waited });
    }
  }
  events.push({ id: 'pbx-now.1', from: '+4930901820', status: 'ringing', at: now - 12_000 });
  events.push({ id: 'pbx-now.2', from: '+49301234007', status: 'ringing', at: now - 95_000 });
  const talks = { id: 'pbx-now.2', from: '+49301234007', status: 'answered' } as const;
  events.push({ ...talks, at: now - 80_000, callerId: '1002' });
  events.sort((a, b) => a.at - b.at);
  await storeCalls(served, async (report, store) => {
    const numbers = ['+49301234001', '+49301234002'];
    await store.customers.put(1, [
      { reference: '2', name: 'Bäckerei Sonnenschein & Töchter', segment: 'VIP', numbers },
      customer({ reference: '3', name: 'Hartmann GmbH', numbers: ['+49301234003'] }),
    ]);
    await Promise.all(events.map(report));
  });
}

/** Calls whose every text is hostile. */
export async function hostileCalls(served: Pick<Served, 'stateDir'>, now: number): Promise<void> {
  await storeCalls(served, async (report, store) => {
    for (const [index, text] of hostile.entries()) {
      const short = text.slice(0, 255);
      const from = `+4930555${1000 + index}`;
      await store.customers.putSegment(1, { name: short, priority: index });
      await store.customers.put(1, [
        customer({ reference: short, name: text, segment: short, numbers: [from] }),
      ]);
      for (const status of ['ringing', 'answered', 'completed'] as const)
        await report({
          id: short,
          status,
          at: now - 60_000 + index,
          from,
          callerId: short,
          also: { [text]: text },
        });
    }
  });
}

/** Numbers from 0 to 1, the same ones each time (mulberry32). */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
