import { z } from 'zod';
import { parseJson } from '../../shared/process/parse-json.ts';

/** What an operator wants: the calls since then. Times are Unix ms. */
const wishSchema = z.object({
  /** When it was asked for, which tells it from another wish. */
  at: z.number(),
  since: z.number(),
  /** Only count. */
  isDry: z.boolean(),
  /** Also what earlier runs have done: trunks may have been added since. */
  again: z.boolean().optional(),
});
export type Wish = z.infer<typeof wishSchema>;

/** Inbound calls of a month: `known` were decided before, `unreported` have no number to report. */
const countsSchema = z.object({
  answered: z.number(),
  missed: z.number(),
  known: z.number(),
  unreported: z.number(),
});
export type PastCounts = z.infer<typeof countsSchema>;

const progressSchema = z.object({
  /** The `at` of the wish that it is of. */
  of: z.number(),
  /** The source's name. */
  source: z.string(),
  /** Of calls that began since, and before `until`. */
  since: z.number(),
  until: z.number(),
  startedAt: z.number(),
  state: z.enum(['reading', 'waiting', 'done']),
  /** What it waits for, in one line. */
  why: z.string().optional(),
  /** Reading goes on there; absent: at the beginning. */
  position: z.unknown().optional(),
  /** By month, `2025-01`, in the time zone of the bridge. */
  months: z.record(z.string(), countsSchema),
  /** Reasons why records, or calls, are not reported, and how many. */
  problems: z.record(z.string(), z.number()),
  /** All calls that began in between were done, in earlier runs. */
  covered: z.object({ since: z.number(), until: z.number() }).optional(),
});
export type BackfillProgress = z.infer<typeof progressSchema>;

export const readWish = (text: string | null): Wish | undefined =>
  wishSchema.safeParse(parseJson(text ?? '')).data;
export const readProgress = (text: string | null): BackfillProgress | undefined =>
  progressSchema.safeParse(parseJson(text ?? '')).data;

/** Where a new wish begins: after what was done before, or where an unfinished one of the same period has stopped. */
export function progressOf(
  wish: Wish,
  before: BackfillProgress | undefined,
  {
    source,
    bridgeSince,
    now,
  }: { readonly source: string; readonly bridgeSince: number; readonly now: number },
): BackfillProgress {
  const { covered } = before ?? {};
  const until = wish.again === true ? bridgeSince : Math.min(bridgeSince, covered?.since ?? bridgeSince);
  const isGoingOn =
    before !== undefined &&
    !wish.isDry &&
    before.state !== 'done' &&
    before.source === source &&
    before.since === wish.since &&
    before.until === until;
  if (isGoingOn) return { ...before, of: wish.at };
  return {
    of: wish.at,
    source,
    since: wish.since,
    until,
    // What an unfinished one has reported must not be forgotten.
    startedAt: before !== undefined && before.state !== 'done' ? Math.min(before.startedAt, now) : now,
    state: 'reading',
    position: undefined,
    months: {},
    problems: {},
    ...(covered !== undefined && { covered }),
  };
}

/** All is read. */
export function finished(progress: BackfillProgress): BackfillProgress {
  const { since, until, covered = { since: until, until } } = progress;
  const { why: _, position: __, ...rest } = progress;
  return {
    ...rest,
    position: undefined,
    state: 'done',
    covered: { since: Math.min(since, covered.since), until: covered.until },
  };
}

const noCounts: PastCounts = { answered: 0, missed: 0, known: 0, unreported: 0 };

/** With one more call, which began then, Unix ms. */
export function counted(
  { months, ...progress }: BackfillProgress,
  call: { readonly began: number; readonly is: keyof PastCounts; readonly why?: string | undefined },
): BackfillProgress {
  const month = dayOf(call.began).slice(0, '2025-01'.length);
  const counts = months[month] ?? noCounts;
  const more = {
    ...progress,
    months: { ...months, [month]: { ...counts, [call.is]: counts[call.is] + 1 } },
  };
  return call.why === undefined ? more : withProblems(more, [call.why]);
}

/** With these problems, one more of each. */
export function withProblems(progress: BackfillProgress, whys: readonly string[]): BackfillProgress {
  const problems = { ...progress.problems };
  for (const why of whys) problems[why] = (problems[why] ?? 0) + 1;
  return { ...progress, problems };
}

/** `2025-01-01`, local. */
export function dayOf(at: number): string {
  const date = new Date(at);
  const [month, day] = [date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0'));
  return `${date.getFullYear()}-${month}-${day}`;
}

/** How many calls these are. */
export const callsIn = ({ answered, missed, known, unreported }: PastCounts): number =>
  answered + missed + known + unreported;

/** The sums of all months. */
export function totals({
  months,
}: Pick<BackfillProgress, 'months'>): PastCounts & { readonly calls: number } {
  const sum = (key: keyof PastCounts) => Object.values(months).reduce((all, counts) => all + counts[key], 0);
  const counts = {
    answered: sum('answered'),
    missed: sum('missed'),
    known: sum('known'),
    unreported: sum('unreported'),
  };
  return { calls: callsIn(counts), ...counts };
}

/** How long the ledger keeps calls for one that is not finished, ms: its records may be gone for good. */
const LONGEST_MS = 90 * 86_400_000;

/** Unix ms: what was delivered since must not be forgotten, or the same calls could be reported again. */
export function ledgerSinceOf(progress: BackfillProgress | undefined, now: number): number {
  return progress === undefined || progress.state === 'done'
    ? Number.POSITIVE_INFINITY
    : Math.max(progress.startedAt, now - LONGEST_MS);
}

/** Why calls of the past may not be reported now; undefined if they may. */
export function backfillHindrance({
  sendsExtras,
  takesPast,
  delivery,
}: {
  readonly sendsExtras: boolean;
  /** What the API says; undefined: nothing yet. */
  readonly takesPast: boolean | undefined;
  readonly delivery: string;
}): string | undefined {
  if (!sendsExtras) return 'API_EXTRAS is not yes, and without it an API has no time of a call';
  if (takesPast === undefined) return 'the API has not said yet whether it takes calls of the past';
  if (!takesPast)
    return 'the API does not take calls of the past: it is not the service of pbx-bridge, or one of before 1.0.1';
  return delivery === 'ok' ? undefined : 'delivery to the API has stopped: see pbx-bridge status';
}
