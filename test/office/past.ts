import type { Store } from '../../src/service/database/store.ts';
import { monotonicMs } from '../../src/service/kit/calendar.ts';
import type { CallStatus } from '../../src/shared/api/contract/call-status.ts';
import { normaliseNumber } from '../../src/shared/phone-number/normalise-number.ts';
import { seededRandom } from '../player/seeded-random.ts';
import { callerNumber, customers, missedLast, segments } from './customers.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** On the day of the demo the office has been open for this long, whatever the time is, with so many calls an hour. */
const openToday = { ms: 9 * HOUR, calls: 6 };

/** Average number of calls in each hour of a working day, from midnight. */
const hours = [0, 0, 0, 0, 0, 0, 0, 1, 7, 10, 11, 9, 4, 6, 8, 8, 6, 3, 1, 0, 0, 0, 0, 0];

/**
 * Fills an account with test data: segments, customers, and the calls of `days` days until `now`, as if the bridge had
 * reported them. The last to call is a customer who was missed twice. The same `seed` gives the same data.
 */
export async function givePast(
  store: Store,
  {
    account,
    integration,
    now,
    days,
    timeZone = 'Europe/Berlin',
    seed = 1,
  }: {
    account: number;
    integration: number;
    now: number;
    days: number;
    /** Local time of the office. */
    timeZone?: string;
    seed?: number;
  },
): Promise<void> {
  for (const segment of segments) await store.customers.putSegment(account, segment);
  await store.customers.put(account, customers);

  const random = seededRandom(seed);
  const around = (mean: number) => -Math.log(1 - random()) * mean;
  const events: { at: number; id: string; status: CallStatus; from: string; callerId: string | null }[] = [];
  const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timeZone).startOfDay();
  for (let day = days; day >= 0; day -= 1) {
    const date = today.subtract({ days: day });
    const weekend = date.dayOfWeek > 5;
    for (const [hour, mean] of hours.entries()) {
      const begins = date.epochMilliseconds + hour * HOUR;
      const isOpen = begins > now - openToday.ms && begins < now;
      const usual = mean * (weekend ? 0.05 : 0.6 + 0.8 * random());
      const count = Math.round(isOpen ? Math.max(usual, openToday.calls) : usual);
      for (let n = 0; n < count; n += 1) {
        const rings = begins + random() * HOUR;
        const id = `past-${day}-${hour}-${n}`;
        const from = random() < 0.04 ? '+12025550142' : callerNumber(Math.floor(random() ** 1.5 * 72));
        const waits = around(12_000) + 2000;
        const missed = waits > 30_000 || random() < 0.05;
        const extension = String(1001 + Math.floor(random() ** 2 * 4));
        const ends = rings + waits + (missed ? 0 : around(170_000) + 8000);
        if (ends > now - MINUTE || (from === missedLast.number && rings > now - 2 * HOUR)) continue;
        events.push({ at: rings, id, status: 'ringing', from, callerId: null });
        if (!missed) events.push({ at: rings + waits, id, status: 'answered', from, callerId: extension });
        events.push({ at: ends, id, status: 'completed', from, callerId: missed ? null : extension });
      }
    }
  }
  for (const [index, ago] of [19 * MINUTE, 4 * MINUTE].entries()) {
    const call = { id: `past-missed-${index}`, from: missedLast.number, callerId: null };
    events.push({ ...call, at: now - ago, status: 'ringing' });
    events.push({ ...call, at: now - ago + 24_000, status: 'completed' });
  }
  events.sort((a, b) => a.at - b.at);
  for (let at = 0; at < events.length; at += 500)
    await Promise.all(
      events.slice(at, at + 500).map((event) => {
        const body = {
          id: event.id,
          direction: 'inbound',
          status: event.status,
          from: event.from,
          ...(event.callerId !== null && { caller_id: event.callerId }),
        };
        return store.requests.record({
          account,
          integration,
          at: Math.floor(event.at),
          began: monotonicMs(),
          method: 'POST',
          path: '/api/v1/voice/call',
          request: JSON.stringify(body),
          status: 200,
          response: JSON.stringify({ result: event.id.padEnd(48, 'x').slice(0, 48) }),
          callId: event.id,
          fromNumber: event.from,
          event: { ...event, number: normaliseNumber(event.from, 'DE') },
        });
      }),
    );
  // Colleagues have called back whom they missed, but for the last.
  const missed = events.filter(({ status, callerId }) => status === 'completed' && callerId === null);
  for (const { at, from } of missed.filter(({ at }) => at > now - 8 * 24 * HOUR && at < now - HOUR)) {
    const user = random() < 0.5 ? 'Bilal' : 'Chiara';
    const act = (kind: 'taken' | 'done', minutes: number) =>
      store.callers.act(account, {
        ...{ number: from, user, kind, text: null },
        at: Math.floor(at + minutes * MINUTE),
      });
    await act('taken', 4 + 10 * random());
    await act('done', 16 + 20 * random());
  }
}
