import type { CallStore } from '../calls/call-store.ts';
import { dateAt, daysBetween, monotonicMs } from '../kit/calendar.ts';
import { type HoursPart, type OpeningHours, partsOf } from '../kit/opening-hours.ts';

/** Time limit of one page, ms; then it says how far it searched. */
const TIME_LIMIT_MS = 400;

/** `page` for the calls that began in opening hours, or out of them: part by part of each day that has calls. */
export function pageInHours(
  page: CallStore['page'],
  hours: OpeningHours,
  part: HoursPart,
  timeZone: string,
): CallStore['page'] {
  return async ({ account, filter, towards, from, limit }) => {
    const older = towards === 'older';
    const began = monotonicMs();
    const calls: Awaited<ReturnType<CallStore['page']>>['calls'] = [];
    let back = from;
    let next = from;
    do {
      // Where the next calls are: days without any are not looked at.
      const ahead = await page({ account, filter, towards, from: next, limit: 1 });
      const [call] = ahead.calls;
      if (call === undefined) {
        next = ahead.next;
        continue;
      }
      const date = dateAt(call.startedAt, timeZone);
      const [day] = daysBetween(date, date, timeZone);
      if (day === undefined) break;
      const parts = partsOf(day, hours, part, timeZone);
      for (const { since, until } of older ? parts.reverse() : parts) {
        const within = {
          ...filter,
          since: Math.max(since, filter.since ?? since),
          until: Math.min(until, filter.until ?? until),
        };
        const found = await page({
          account,
          filter: within,
          towards,
          from: next,
          limit: limit - calls.length,
        });
        if (calls.length === 0 && found.calls.length > 0) back = found.back ?? back;
        if (older) calls.push(...found.calls);
        else calls.unshift(...found.calls);
        // Where the part goes on, or where it ends.
        next = found.next ?? (older ? { at: since, id: 0 } : { at: until - 1, id: Number.MAX_SAFE_INTEGER });
        if (found.next !== null || calls.length >= limit) return { calls, next, back };
      }
      next = older ? { at: day.since, id: 0 } : { at: day.until - 1, id: Number.MAX_SAFE_INTEGER };
    } while (next !== null && monotonicMs() - began < TIME_LIMIT_MS);
    return { calls, next, back };
  };
}
