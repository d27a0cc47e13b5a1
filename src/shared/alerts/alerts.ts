import { readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import type { Log } from '../log/log.ts';
import type { MetricRow } from '../process/metric-registry.ts';
import { messageOf, parseJson } from '../process/parse-json.ts';
import { within } from '../process/within.ts';
import { decideAlerts, type Notice, type Seen, type WatchedProblems } from './alert-rules.ts';
import type { AlertTarget } from './alert-targets.ts';

type AlertsOptions = {
  /** The file that keeps across restarts what was announced. */
  readonly file: string;
  readonly targets: readonly AlertTarget[];
  /** How long a problem must last before it is announced, ms. */
  readonly afterMs: number;
  /** Called after each check. */
  readonly onChecked?: () => void;
  /** Interval between two checks, ms. */
  readonly everyMs?: number | undefined;
};

export type AlertsStatus = {
  /** Present problems, announced or not. `since`: Unix ms. */
  readonly problems: readonly {
    readonly code: string;
    readonly what: string;
    readonly remedy: string;
    readonly since: number;
  }[];
  /** Announced problems that are gone, whose end is not announced yet: they may come back. Unix ms. */
  readonly over: readonly { readonly code: string; readonly what: string; readonly until: number }[];
  /** Alerts that a target accepted since the start. */
  readonly sent: number;
  /** Alerts that could not be sent yet, per target. */
  readonly unsent: readonly { readonly target: string; readonly count: number; readonly error: string }[];
};

/** What is on disk. */
type Kept = {
  readonly watched: WatchedProblems;
  readonly unsent: Readonly<Record<string, readonly Notice[]>>;
};

const checkMs = 10_000;
/** How long a disk or a target that hangs holds up the next step, ms. */
const SOON_MS = 1_000;
/** Delay before the next attempt to a target that failed, ms; it doubles with each failure, up to the longest. */
const retryMs = 30_000;
const longestRetryMs = 15 * 60_000;
/** More unsent notices of one target are dropped, oldest first. */
const mostUnsent = 50;

export type Alerts = ReturnType<typeof createAlerts>;

/**
 * Watches for problems and announces their beginning and end, each once. Alerts that could not be sent are kept and
 * sent later, together. Alerts must not disturb the program: their own failures are only logged and shown in the
 * status.
 */
export function createAlerts(
  options: AlertsOptions,
  tools: { readonly read: () => Promise<Seen>; readonly log: Log; readonly now: () => number },
) {
  const { file, targets, afterMs, everyMs = checkMs } = options;
  const { log, now } = tools;
  let { watched, unsent }: Kept = load(file);
  unsent = Object.fromEntries(targets.map(({ name }) => [name, unsent[name] ?? []]));
  let lastSeen: Seen = { problems: [] };
  let saved = JSON.stringify({ watched, unsent });
  const states = new Map(
    targets.map(({ name }) => [name, { sending: false, failures: 0, nextAt: 0, error: '' }]),
  );
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let writing: Promise<void> = Promise.resolve();
  let sending: Promise<unknown> = Promise.resolve();
  let failing = false;
  let sent = 0;
  let stopped = false;
  let closed = false;

  async function checkOnce(): Promise<void> {
    try {
      const seen = await tools.read();
      failing = false;
      if (stopped) return;
      const decided = decideAlerts(watched, seen, { now: now(), afterMs });
      watched = decided.watched;
      lastSeen = seen;
      for (const { state, code: problem, what, remedy } of decided.notices)
        log.say(state === 'over' ? 'alert.over' : 'alert.began', { problem, what, remedy });
      if (decided.notices.length > 0)
        unsent = Object.fromEntries(
          Object.entries(unsent).map(([name, list]) => [
            name,
            [...list, ...decided.notices].slice(-mostUnsent),
          ]),
        );
    } catch (error) {
      if (!failing) log.say('alert.failed', { error });
      failing = true;
    }
    // Saved before anything is sent, so that a crash does not announce it twice. With a time limit: the alert may be
    // that the disk hangs.
    await within(SOON_MS, save());
    if (stopped) return;
    sending = Promise.all([sending, ...targets.map(send)]);
    options.onChecked?.();
  }

  async function send(target: AlertTarget): Promise<void> {
    const state = states.get(target.name);
    const notices = unsent[target.name] ?? [];
    if (state === undefined || state.sending || notices.length === 0 || now() < state.nextAt) return;
    state.sending = true;
    try {
      await target.send(notices);
      const rest = (unsent[target.name] ?? []).filter((it) => !notices.includes(it));
      unsent = { ...unsent, [target.name]: rest };
      sent += notices.length;
      log.say('alert.sent', { count: notices.length, target: target.name });
      Object.assign(state, { failures: 0, nextAt: 0, error: '' });
      await within(SOON_MS, save());
    } catch (error) {
      if (state.error === '') log.say('alert.not-sent', { target: target.name, error });
      state.error = messageOf(error);
      state.nextAt = now() + Math.min(retryMs * 2 ** state.failures++, longestRetryMs);
    } finally {
      state.sending = false;
    }
  }

  /** Writes one after the other. A full disk must not prevent the alert about it. */
  function save(): Promise<void> {
    writing = writing.then(async () => {
      const text = JSON.stringify({ watched, unsent } satisfies Kept);
      if (text === saved || closed) return;
      try {
        await writeFile(`${file}.new`, text, { mode: 0o600 });
        await rename(`${file}.new`, file);
        saved = text;
      } catch (error) {
        if (saved !== '') log.say('alert.not-kept', { file, error });
        saved = '';
      }
    });
    return writing;
  }

  /** Checks once, and starts to send. Never rejects. */
  function check(): Promise<void> {
    running ??= checkOnce().finally(() => {
      running = undefined;
    });
    return running;
  }

  return {
    check,
    start() {
      timer = setInterval(check, everyMs);
      void check();
    },
    /** Waits for running reads, requests and writes, a second each at most. No write begins after it. */
    async stop() {
      stopped = true;
      clearInterval(timer);
      if (running) await within(SOON_MS, running);
      await within(SOON_MS, sending);
      await within(SOON_MS, writing);
      closed = true;
    },
    /** `seen`: at this moment; at the last check when absent. */
    status: (seen: Seen = lastSeen): AlertsStatus => ({
      problems: seen.problems.map(({ key, code, what, remedy, since }) => ({
        ...{ code, what, remedy },
        since:
          watched[key]?.absentSince === undefined
            ? (watched[key]?.since ?? since ?? now())
            : (since ?? now()),
      })),
      over: Object.entries(watched).flatMap(([key, { alert, code, what, absentSince = now() }]) => {
        const isPresent = seen.problems.some((problem) => problem.key === key) || seen.unknown?.includes(key);
        return alert === undefined || alert.flaps || isPresent ? [] : [{ code, what, until: absentSince }];
      }),
      sent,
      unsent: targets.flatMap(({ name }) => {
        const [count, error] = [unsent[name]?.length ?? 0, states.get(name)?.error ?? ''];
        return error === '' ? [] : [{ target: name, count, error }];
      }),
    }),
  };
}

/** A missing or damaged file counts as empty: problems that last are announced again. */
function load(file: string): Kept {
  try {
    const kept = parseJson(readFileSync(file, 'utf8')) as Partial<Kept> | undefined;
    return { watched: kept?.watched ?? {}, unsent: kept?.unsent ?? {} };
  } catch {
    return { watched: {}, unsent: {} };
  }
}

/** The metrics of problems and alerts, of the bridge and of the service. */
export const alertRows: readonly MetricRow<{ readonly alerts: AlertsStatus }>[] = [
  {
    name: 'problems',
    help: 'Open problems, announced or not, by code; see messages.md.',
    label: 'code',
    read: (it) => countByCode(it.alerts),
  },
  {
    name: 'alerts_sent_total',
    help: 'Alerts that the mail server or the webhook accepted since the start.',
    read: (it) => it.alerts.sent,
  },
  {
    name: 'alerts_unsent',
    help: 'Alerts that could not be sent yet.',
    read: (it) => it.alerts.unsent.reduce((sum, { count }) => sum + count, 0),
  },
];

function countByCode({ problems }: AlertsStatus): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { code } of problems) counts[code] = (counts[code] ?? 0) + 1;
  return counts;
}
