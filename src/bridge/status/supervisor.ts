import type { Log } from '../../shared/log/log.ts';
import type { BridgeStatus } from './bridge-status.ts';
import type { Notice } from './service-manager.ts';
import { beginning, type Liveness, look, startIsOver, statusLine } from './supervision.ts';

/** Time between two ticks, ms. Short while starting, since an operator may wait for `systemctl start`. */
const tickMs = { starting: 250, ready: 5_000 };

/**
 * Notifies systemd of the bridge's state: ready once the PBX's channels were read, or waiting for that is over; a status
 * line for `systemctl status`; and the watchdog as long as the AMI link and the storage make progress. A timer alone
 * would only prove that timers run. An unreachable PBX and a full disk do not stop the watchdog: a restart would not
 * help, and would lose the events in memory.
 */
export function createSupervisor(tools: {
  readonly notify: (notice: Notice) => void;
  readonly readLiveness: () => Liveness;
  readonly readStatus: () => Promise<BridgeStatus>;
  readonly log: Log;
  /** The watchdog timeout of systemd, ms; undefined if there is none. */
  readonly watchdogMs?: number | undefined;
  /** CLOCK_MONOTONIC in ms, as systemd reads it. */
  readonly monotonic: () => number;
  /** Unix ms. */
  readonly now: () => number;
}) {
  const { notify, readLiveness, log, monotonic, now } = tools;
  // Two ticks may be late before systemd reacts.
  const readyTickMs = Math.min(tickMs.ready, (tools.watchdogMs ?? Number.POSITIVE_INFINITY) / 4);
  let timer: NodeJS.Timeout | undefined;
  let state = beginning(monotonic());

  function tick(): void {
    const { state: next, notice, standstill } = look(state, readLiveness(), monotonic(), now());
    state = next;
    if (standstill !== undefined) log.say('systemd.standstill', { part: standstill });
    notify(notice);
    if (state.readingSince === undefined) void refresh();
    timer = setTimeout(tick, state.isReady ? readyTickMs : tickMs.starting);
  }

  async function refresh(): Promise<void> {
    state = { ...state, readingSince: monotonic() };
    const liveness = readLiveness();
    const isOver = startIsOver(state, liveness, monotonic());
    try {
      const status = statusLine(await tools.readStatus(), liveness.pbx.failure);
      state = { ...state, status };
    } catch {
      // The storage thread has ended, which ends the program.
    }
    state = { ...state, startIsOver: isOver, readingSince: undefined };
  }

  return {
    start: tick,
    stop() {
      clearTimeout(timer);
      notify({ STOPPING: 1, STATUS: 'stopping; undelivered events stay on disk' });
    },
    /** Runs `work` between the notifications of a reload that systemd waits for (`Type=notify` in systemd.service(5)). */
    reload(work: () => void) {
      notify({ RELOADING: 1, MONOTONIC_USEC: Math.floor(monotonic() * 1_000) });
      work();
      // A reload during the start does not end the start.
      if (state.isReady) notify({ READY: 1 });
    },
  };
}
