import type { Log } from '../log/log.ts';
import { within } from '../process/within.ts';
import type { Notice, Seen } from './alert-rules.ts';
import { type AlertInput, alertsStatus, keptOf, newAlerts, nextAlerts } from './alert-state.ts';
import type { AlertTarget } from './alert-targets.ts';
import { createAlertsFile, loadAlerts } from './alerts-file.ts';
import type { AlertsStatus } from './alerts-status.ts';

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
  let state = newAlerts(
    targets.map(({ name }) => name),
    loadAlerts(file),
  );
  const toKeep = () => keptOf(state);
  const disk = createAlertsFile(file, log, toKeep());
  const stopping = new AbortController();
  let checking: Promise<void> | undefined;
  let sending: Promise<unknown> = Promise.resolve();

  function apply(input: AlertInput): void {
    const next = nextAlerts(state, input, { now: now(), afterMs });
    state = next.state;
    for (const effect of next.effects) {
      if (effect.type === 'log') log.say(effect.code, effect.fields);
      else sending = Promise.all([sending, send(effect.target, effect.notices)]);
    }
  }

  async function send(target: string, notices: readonly Notice[]): Promise<void> {
    try {
      await targets.find(({ name }) => name === target)?.send(notices);
    } catch (error) {
      return apply({ type: 'refused', target, error });
    }
    apply({ type: 'sent', target });
    await within(soonMs, disk.save(toKeep));
  }

  async function checkOnce(): Promise<void> {
    try {
      const seen = await read();
      if (stopping.signal.aborted) return;
      apply({ type: 'seen', seen });
    } catch (error) {
      apply({ type: 'not-read', error });
    }
    // Saved before anything is sent, so that a crash does not announce it twice. With a time limit: the alert may be
    // that the disk hangs.
    await within(soonMs, disk.save(toKeep));
    if (stopping.signal.aborted) return;
    apply({ type: 'kept' });
    onChecked();
  }

  /** Checks once, and starts to send. Never rejects. */
  function check(): Promise<void> {
    checking ??= checkOnce().finally(() => {
      checking = undefined;
    });
    return checking;
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
      if (checking) await within(soonMs, checking);
      await within(soonMs, sending);
      await within(soonMs, disk.written());
      disk.close();
    },
    /** `seen`: at this moment; at the last check when absent. */
    status: (seen: Seen = state.seen): AlertsStatus => alertsStatus(state, seen, now()),
  };
}
