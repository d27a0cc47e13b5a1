import type { Problem } from './problem.ts';

/** What is remembered of one problem; JSON. Times are Unix ms. */
type Watched = Pick<Problem, 'code' | 'what' | 'remedy'> & {
  readonly since: number;
  /** Since when it has had this code; `since` when absent. */
  readonly codeSince?: number;
  /** When it began, within the last hour. */
  readonly beginnings: readonly number[];
  /** When it was over; absent while it lasts. */
  readonly absentSince?: number;
  /** Set while an alert is open: it was announced, and its end was not. */
  readonly alert?: {
    /** When something was last sent about it. */
    readonly sentAt: number;
    /** How often it began within this alert. */
    readonly times: number;
    readonly timesSent: number;
    readonly amountSent: number;
    readonly flaps: boolean;
    /** What was announced, if it is not what the problem is now: its end is announced under the same code. */
    readonly announced?: Pick<Problem, 'code' | 'what' | 'remedy'>;
  };
};

/** By the problem's key. */
export type WatchedProblems = Readonly<Record<string, Watched>>;

/** One thing to send. */
export type Notice = Pick<Problem, 'code' | 'what' | 'remedy'> & {
  readonly state: 'began' | 'continues' | 'over';
  readonly since: number;
  /** When it was over. */
  readonly until?: number;
  /** How often it began since the alert was opened. */
  readonly times: number;
  /** True if it comes and goes. */
  readonly flaps: boolean;
};

export type Seen = {
  readonly problems: readonly Problem[];
  /** Keys of which nothing is known at the moment: what was known of them stays. */
  readonly unknown?: readonly string[];
  /** Whether what a key is about was removed: its problem is over at once, and nothing of it is remembered. */
  readonly isGone?: (key: string) => boolean;
};

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/**
 * A problem that begins this often within an hour is intermittent: one alert, until it has not occurred for an hour.
 */
const flapsFrom = 3;
/** How long a problem must stay away before its end is announced, at most. */
const settledMs = 60_000;

/**
 * Decides what to announce: a problem after it has lasted `afterMs`, and its end after it has been gone for as long, at
 * most a minute. If its cause becomes another (nothing answers, then the login is refused), that is announced too, and the
 * end of the first. An intermittent problem is announced as such, then once a day, and its end after an hour without it.
 */
export function decideAlerts(
  before: WatchedProblems,
  { problems, unknown = [], isGone = () => false }: Seen,
  { now, afterMs }: { readonly now: number; readonly afterMs: number },
): { readonly watched: WatchedProblems; readonly notices: readonly Notice[] } {
  const watched: Record<string, Watched> = {};
  const notices: Notice[] = [];
  const present = new Map<string, Problem>(problems.map((problem) => [problem.key, problem]));
  for (const key of new Set([...Object.keys(before), ...present.keys()])) {
    const [known, problem] = [before[key], present.get(key)];
    const kept = known !== undefined && problem === undefined && unknown.includes(key) ? known : undefined;
    const [next, ...said] =
      kept !== undefined
        ? [kept]
        : problem !== undefined
          ? whilePresent(known, problem, now, afterMs)
          : isGone(key)
            ? whenGone(known as Watched, now)
            : whileAbsent(known as Watched, now, Math.min(afterMs, settledMs));
    if (next !== undefined) watched[key] = next;
    notices.push(...said);
  }
  return { watched, notices };
}

type Step = readonly [Watched | undefined, ...Notice[]];

function whilePresent(known: Watched | undefined, problem: Problem, now: number, afterMs: number): Step {
  const { code, what, remedy, amount = 0 } = problem;
  const begins = known === undefined || known.absentSince !== undefined;
  const recent = (known?.beginnings ?? []).filter((at) => at > now - hourMs && at <= now);
  const beginnings = begins ? [...recent, now].slice(-flapsFrom) : recent;
  const began = Math.min(problem.since ?? now, now);
  const codeSince = known === undefined || known.code === code ? known?.codeSince : now;
  const next: Watched = {
    code,
    what,
    remedy,
    beginnings,
    // Within an alert, and for one and the same problem, the beginning stays.
    since: known !== undefined && (known.alert || !begins) ? Math.min(known.since, began) : began,
    ...(codeSince !== undefined && { codeSince }),
  };
  const open = known?.alert;
  if (open === undefined) {
    const flaps = beginnings.length >= flapsFrom;
    if (!problem.atOnce && !flaps && now - next.since < afterMs) return [next];
    const alert = { sentAt: now, times: beginnings.length, timesSent: 0, amountSent: amount, flaps };
    return announce({ ...next, alert: { ...alert, times: flaps ? alert.times : 1 } }, 'began', now);
  }
  const times = begins ? open.times + 1 : open.times;
  const { announced = known as Watched } = open;
  if (!open.flaps && announced.code !== code) {
    const { codeSince = now } = next;
    const alert = { ...open, times, announced: pickText(announced) };
    if (!problem.atOnce && now - codeSince < afterMs) return [{ ...next, alert }];
    const over: Notice = { ...noticeOf({ ...next, alert }, 'over', announced), until: codeSince };
    const { announced: _, ...renewed } = { ...alert, times: 1 };
    const [watched, ...began] = announce({ ...next, since: codeSince, alert: renewed }, 'began', now);
    return [watched, over, ...began];
  }
  const { announced: _, ...alert } = { ...open, times };
  const continued = { ...next, alert };
  const isNews = (open.flaps && times > open.timesSent) || amount > open.amountSent;
  return isNews && now - open.sentAt >= dayMs
    ? announce({ ...continued, alert: { ...continued.alert, amountSent: amount } }, 'continues', now)
    : [continued];
}

function whileAbsent(known: Watched, now: number, settleMs: number): Step {
  const absentSince = Math.min(known.absentSince ?? now, now);
  const next: Watched = { ...known, absentSince };
  const quietMs = now - absentSince;
  if (known.alert === undefined) return quietMs < hourMs ? [next] : [undefined];
  if (quietMs < (known.alert.flaps ? hourMs : settleMs)) return [next];
  const { alert, ...closed } = next;
  return [closed, endOf({ ...next, alert: known.alert }, absentSince)];
}

function whenGone(known: Watched, now: number): Step {
  const { alert, absentSince = now } = known;
  return alert === undefined ? [undefined] : [undefined, endOf({ ...known, alert }, absentSince)];
}

const endOf = (watched: Announced, until: number): Notice => ({
  ...noticeOf(watched, 'over', watched.alert.announced),
  until,
});

type Announced = Watched & { readonly alert: NonNullable<Watched['alert']> };

function announce(watched: Announced, state: Notice['state'], now: number): Step {
  const { alert } = watched;
  return [{ ...watched, alert: { ...alert, sentAt: now, timesSent: alert.times } }, noticeOf(watched, state)];
}

function noticeOf(watched: Announced, state: Notice['state'], text = pickText(watched)): Notice {
  const { since, alert } = watched;
  return { state, ...pickText(text), since, times: alert.times, flaps: alert.flaps };
}

function pickText({ code, what, remedy }: Pick<Problem, 'code' | 'what' | 'remedy'>) {
  return { code, what, remedy };
}
