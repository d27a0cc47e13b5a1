import { type CallExtras, noExtras } from '../../../src/service/calls/call-record.ts';
import type { Store } from '../../../src/service/database/store.ts';
import type { CallerAction } from '../../../src/service/people/caller-action-store.ts';
import type { CallStatus } from '../../../src/shared/api/contract/call-status.ts';
import { normaliseNumber } from '../../../src/shared/phone-number/normalise-number.ts';
import { preciseMs } from '../../../src/shared/process/clock.ts';
import { seededRandom } from '../player/seeded-random.ts';
import { callerNumber, customers, segments, waiting } from './customers.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** On the day of the demo the office has been open for this long, at any time of day, with this number of calls an hour. */
const openToday = { ms: 6 * HOUR, calls: 6 };

/** Average number of calls in each hour of a working day, from midnight. */
const hours = [0, 0, 0, 0, 0, 0, 0, 1, 7, 10, 11, 9, 4, 6, 8, 8, 6, 3, 1, 0, 0, 0, 0, 0];

/**
 * Fills an account with test data: segments, customers, and the calls of `days` days until `now`, as if the bridge had
 * reported them. One of nine is missed, more when many call; in the last hour those of `waiting`, and all others were
 * called back. The same `seed` gives the same data.
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
  const waits = new Set(waiting.flatMap(({ numbers }) => numbers));
  const around = (mean: number) => -Math.log(1 - random()) * mean;
  const events: { at: number; id: string; status: CallStatus; from: string; callerId: string | null }[] = [];
  /** What becomes a missed call when it is 1. */
  let unanswered = 0;
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
        const rang = Math.min(around(9_000) + 2000, 40_000);
        unanswered += mean >= 10 ? 0.13 : 0.08;
        const missed = unanswered >= 1 && rings < now - 5 * HOUR;
        if (missed) unanswered -= 1;
        const extension = String(1001 + Math.floor(random() ** 2 * 4));
        const ends = rings + rang + (missed ? 12_000 : around(170_000) + 8000);
        if (ends > now - MINUTE || (waits.has(from) && rings > now - 2 * HOUR)) continue;
        events.push({ at: rings, id, status: 'ringing', from, callerId: null });
        if (!missed) events.push({ at: rings + rang, id, status: 'answered', from, callerId: extension });
        events.push({ at: ends, id, status: 'completed', from, callerId: missed ? null : extension });
      }
    }
  }
  for (const { number: from, missed } of waiting)
    for (const ago of missed) {
      const call = { id: `past-missed-${from}-${ago}`, from, callerId: null };
      events.push({ ...call, at: now - ago * MINUTE, status: 'ringing' });
      events.push({ ...call, at: now - ago * MINUTE + 24_000, status: 'completed' });
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
          began: preciseMs(),
          method: 'POST',
          path: '/api/v1/voice/call',
          request: JSON.stringify(body),
          status: 200,
          response: JSON.stringify({ result: event.id.padEnd(48, 'x').slice(0, 48) }),
          callId: event.id,
          fromNumber: event.from,
          event: { ...event, number: normaliseNumber(event.from, 'DE'), extras: extrasOf(event, event.at) },
        });
      }),
    );
  const act = (
    number: string,
    kind: CallerAction['kind'],
    at: number,
    user: string,
    text: string | null = null,
  ) => store.callers.act(account, { number, kind, at: Math.floor(at), user, text });
  // Colleagues have called back whom they missed, but for those who wait, and a few in the weeks before.
  const missed = events.filter(({ status, callerId }) => status === 'completed' && callerId === null);
  for (const { at, from } of missed.filter(({ at }) => at > now - 15 * 24 * HOUR && at < now - HOUR)) {
    const [user, forgotten] = [random() < 0.5 ? 'Bilal' : 'Chiara', random() < 0.08];
    if (forgotten && at < now - 24 * HOUR) continue;
    await act(from, 'taken', at + (4 + 10 * random()) * MINUTE, user);
    await act(from, 'done', at + (16 + 20 * random()) * MINUTE, user);
  }
  for (const {
    number,
    taken,
    missed: [first = 0],
  } of waiting)
    if (taken !== undefined) {
      await act(number, 'taken', now - (first - 2) * MINUTE, taken);
      await act(number, 'tried', now - (first - 4) * MINUTE, '1002');
    }
  for (const [name, user, text] of notes)
    for (const { numbers } of customers.filter((one) => one.name === name))
      await act(numbers[0] as string, 'note', now - 26 * HOUR, user, text);
}

/** Where a missed call ended: every fifth on the voicemail. */
function extrasOf(
  { status, callerId }: { status: CallStatus; callerId: string | null },
  at: number,
): CallExtras {
  if (status !== 'completed' || callerId !== null) return noExtras;
  const where = Math.floor(at / 1000) % 5 === 0 ? 'voicemail' : 'ringing';
  return { ...noExtras, missed: { where, name: null, by: 'caller', after: null, at: null } };
}

const notes = [
  ['Familie Özdemir', 'Anna', 'Moves out on 31 March; the new tenant calls about the keys.'],
  ['Hansa Grundbesitz AG', 'Chiara', 'Wants the yearly statement by e-mail, not by post.'],
  ['Aylin Kaya', 'Bilal', 'Heating is cold on the second floor. The fitter comes on Thursday morning.'],
] as const;
