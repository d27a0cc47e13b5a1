import type { Integration } from '../accounts/account.ts';
import type { RequestStore } from '../history/request-store.ts';
import { QUARTER_MS, type Span } from '../kit/calendar.ts';

/** A phone system as screens and alerts show it. Times are Unix milliseconds. */
export type PhoneSystem = {
  readonly integration: number;
  readonly name: string;
  /** Its last request; null: it has never connected. */
  readonly lastAt: number | null;
  /** True if it is silent now, but usually is not at this time of this weekday (see isUnusual). */
  readonly unusual: boolean;
};

/** A shorter silence is never unusual. */
const MIN_SILENCE_MS = 2 * QUARTER_MS;
/** Of longer silences only the last hours count, so that a silence over night is unusual in the morning. */
const MAX_SILENCE_MS = 8 * QUARTER_MS;
const WEEKS = [1, 2, 3, 4];
/** In this many of the weeks before, which leaves one for a holiday... */
const BUSY_WEEKS = 3;
/** ...there were at least this many requests in the same time: by chance, less than one silence in a hundred. */
const BUSY_REQUESTS = 5;

/** The state of the integrations that are switched on. `timeZone`: an IANA name. */
export function phoneSystems(
  integrations: readonly Integration[],
  requests: Pick<RequestStore, 'use' | 'usedIn'>,
  { account, timeZone, now }: { account: number; timeZone: string; now: number },
): Promise<PhoneSystem[]> {
  const uses = requests.use(account, now);
  return Promise.all(
    integrations
      .filter(({ enabled }) => enabled)
      .map(async ({ id, name }) => {
        const lastAt = (await uses).find(({ integration }) => integration === id)?.lastAt ?? null;
        const spans = lastAt === null ? [] : sameTimeBefore({ since: lastAt, until: now }, timeZone);
        const unusual = spans.length > 0 && isUnusual(await requests.usedIn(id, spans));
        return { integration: id, name, lastAt, unusual };
      }),
  );
}

/** Compares with the account's own figures: `counts` are the requests in the same time of the weeks before. */
const isUnusual = (counts: readonly number[]): boolean =>
  counts.filter((count) => count >= BUSY_REQUESTS).length >= BUSY_WEEKS;

/**
 * The same time of the same weekday in each of the weeks before, in whole quarters of an hour, as requests are counted.
 * None if the silence is too short.
 */
export function sameTimeBefore({ since, until }: Span, timeZone: string): Span[] {
  const from = Math.ceil(Math.max(since, until - MAX_SILENCE_MS) / QUARTER_MS) * QUARTER_MS;
  const to = Math.floor(until / QUARTER_MS) * QUARTER_MS;
  if (to - from < MIN_SILENCE_MS) return [];
  const end = Temporal.Instant.fromEpochMilliseconds(to).toZonedDateTimeISO(timeZone);
  return WEEKS.map((weeks) => {
    const { epochMilliseconds } = end.subtract({ weeks });
    return { since: epochMilliseconds - (to - from), until: epochMilliseconds };
  });
}
