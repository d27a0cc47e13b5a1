import type { Log } from '../log/log.ts';
import { messageOf } from '../process/parse-json.ts';
import { within } from '../process/within.ts';
import { decideAlerts, type Seen, type WatchedProblems } from './alert-rules.ts';
import type { AlertTarget } from './alert-targets.ts';
import { createAlertsFile, loadAlerts } from './alerts-file.ts';
import { type AlertsStatus, problemsNow, refusals } from './alerts-status.ts';
import { began, ended, noticesOf, type Unsent, unsentTo, withNotices } from './unsent-notices.ts';

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

type State = {
  readonly watched: WatchedProblems;
  readonly unsent: Unsent;
  readonly seen: Seen;
  /** Alerts that a target accepted since the start. */
  readonly sent: number;
  /** Problems could not be read the last time. */
  readonly isFailing: boolean;
};

const checkMs = 10_000;
/** How long a disk or a target that hangs holds up the next step, ms. */
const soonMs = 1_000;

export type Alerts = ReturnType<typeof createAlerts>;

/**
 * Watches for problems and announces their beginning and end, each once. Alerts that could not be sent are kept and
 * sent later, together. Alerts must not disturb the program: their own failures are only logged and shown in the
 * status.
 */
export function createAlerts(
  { file, targets, afterMs, everyMs = checkMs, onChecked = () => {} }: AlertsOptions,
  { read, log, now }: { readonly read: () => Promise<Seen>; readonly log: Log; readonly now: () => number },
) {
  const names = targets.map(({ name }) => name);
  const kept = loadAlerts(file);
  let state: State = {
    watched: kept.watched,
    unsent: unsentTo(names, kept.unsent),
    seen: { problems: [] },
    sent: 0,
    isFailing: false,
  };
  const toKeep = () => ({ watched: state.watched, unsent: noticesOf(state.unsent) });
  const disk = createAlertsFile(file, log, toKeep());
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  let sending: Promise<unknown> = Promise.resolve();

  async function checkOnce(): Promise<void> {
    try {
      const seen = await read();
      if (stopping.signal.aborted) return;
      announce(seen);
    } catch (error) {
      if (!state.isFailing) log.say('alert.failed', { error });
      state = { ...state, isFailing: true };
    }
    // Saved before anything is sent, so that a crash does not announce it twice. With a time limit: the alert may be
    // that the disk hangs.
    await within(soonMs, disk.save(toKeep));
    if (stopping.signal.aborted) return;
    sending = Promise.all([sending, ...targets.map(send)]);
    onChecked();
  }

  function announce(seen: Seen): void {
    const { watched, notices } = decideAlerts(state.watched, seen, { now: now(), afterMs });
    const unsent = notices.length > 0 ? withNotices(state.unsent, notices) : state.unsent;
    state = { ...state, watched, unsent, seen, isFailing: false };
    for (const { state: what, code: problem, what: text, remedy } of notices)
      log.say(what === 'over' ? 'alert.over' : 'alert.began', { problem, what: text, remedy });
  }

  async function send({ name, send }: AlertTarget): Promise<void> {
    const before = state.unsent;
    state = { ...state, unsent: began(before, name, now()) };
    const { sending: notices = [], error: lastError } = state.unsent[name] ?? {};
    if (state.unsent === before) return;
    try {
      await send(notices);
      state = { ...state, unsent: ended(state.unsent, name, now()), sent: state.sent + notices.length };
      log.say('alert.sent', { count: notices.length, target: name });
      await within(soonMs, disk.save(toKeep));
    } catch (error) {
      if (lastError === '') log.say('alert.not-sent', { target: name, error });
      state = { ...state, unsent: ended(state.unsent, name, now(), messageOf(error)) };
    }
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
      const timer = setInterval(check, everyMs);
      stopping.signal.addEventListener('abort', () => clearInterval(timer));
      void check();
    },
    /** Waits for running reads, requests and writes, a second each at most. No write begins after it. */
    async stop() {
      stopping.abort();
      if (running) await within(soonMs, running);
      await within(soonMs, sending);
      await within(soonMs, disk.written());
      disk.close();
    },
    /** `seen`: at this moment; at the last check when absent. */
    status: (seen: Seen = state.seen): AlertsStatus => ({
      ...problemsNow(seen, state.watched, now()),
      sent: state.sent,
      unsent: refusals(state.unsent),
    }),
  };
}
