import type { Log } from '../../shared/log/log.ts';
import { type Message, messages } from '../../shared/log/messages.ts';
import { escapeControls } from '../../shared/log/redact.ts';
import { type AmiFailure, mayPass } from '../ami/failure.ts';
import { failureCodes } from '../ami/link-log.ts';
import type { BridgeStatus } from './bridge-status.ts';

/** A notification to the service manager: the variables of sd_notify(3), such as `READY` and `STATUS`. */
export type Notice = Readonly<Record<string, string | number>>;

/** State that can be read synchronously, to detect a standstill. */
export type Liveness = {
  readonly pbx: Pick<BridgeStatus['pbx'], 'state' | 'since' | 'lastPongAt' | 'bytesIn' | 'connects'> & {
    readonly failure: AmiFailure | undefined;
  };
  readonly storage: BridgeStatus['outbox']['storage'];
  /** When the oldest uncommitted batch was handed to the storage thread, Unix ms. */
  readonly uncommittedSince?: number | undefined;
};

/**
 * Returns a function that notifies the service manager at `socket` (NOTIFY_SOCKET); undefined if `socket` is, since the
 * program was then started by hand. The first of several failures in a row is logged.
 */
export async function openServiceManager(
  socket: string | undefined,
  log: Log,
): Promise<((notice: Notice) => void) | undefined> {
  if (socket === undefined) return undefined;
  const { openNotifySocket } = await import('./notify-socket.ts');
  const send = openNotifySocket(socket);
  let failed = false;
  return (notice) => {
    const lines = Object.entries(notice).map(([name, value]) => `${name}=${value}`);
    try {
      send(lines.join('\n'));
      failed = false;
    } catch (error) {
      if (!failed) log.say('systemd.notify-failed', { error });
      failed = true;
    }
  };
}

/** More than the time between two Pings (5 s), than an attempt to connect (10 s) and the pause after it (10 s). */
const standstillMs = 30_000;

/** Time between two ticks, ms. Short while starting, since an operator may wait for `systemctl start`. */
const tickMs = { starting: 250, ready: 5_000 };

/** How long the start waits for a PBX where nothing answers, ms. It may be starting too. */
const longestStartMs = 60_000;

/** Extension of the start timeout while the start waits, microseconds. */
const startExtensionUs = 60_000_000;
/** Time between two such extensions while the databases are opened, and how long they may take, ms. */
const extendEveryMs = 20_000;
const longestOpeningMs = 2 * 3_600_000;

/**
 * Has the service manager wait for a start: a new version may first back a large database up, and bring it up to date. What
 * takes hours has stuck, and is started anew.
 */
export function extended<Started>(
  start: Promise<Started>,
  notify: Awaited<ReturnType<typeof openServiceManager>>,
): Promise<Started> {
  let left = longestOpeningMs / extendEveryMs;
  const timer = setInterval(() => {
    if (left > 0) notify?.({ EXTEND_TIMEOUT_USEC: startExtensionUs });
    left -= 1;
  }, extendEveryMs);
  return start.finally(() => clearInterval(timer));
}

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
  const startedAt = monotonic();
  /** True once `status` is of a time at which the start was over: `systemctl start` returns with READY and this status. */
  let startIsOver = false;
  let ready = false;
  let status = 'starting';
  let readingSince: number | undefined;
  let fingerprint = '';
  let progressAt = monotonic();
  let stuck: string | undefined;

  /** Names the part that makes no progress; undefined if all do. */
  function stuckPart({ pbx, storage, uncommittedSince }: Liveness): string | undefined {
    const next = [pbx.state, pbx.since, pbx.lastPongAt, pbx.bytesIn].join();
    if (next !== fingerprint) progressAt = monotonic();
    fingerprint = next;
    if (monotonic() - progressAt > standstillMs) return 'the link to Asterisk';
    // A full or failing disk is reported elsewhere, and a restart would not help.
    if (storage.state !== 'working') return undefined;
    const waited = Math.max(
      uncommittedSince === undefined ? 0 : now() - uncommittedSince,
      readingSince === undefined ? 0 : monotonic() - readingSince,
    );
    return waited > standstillMs ? 'the storage' : undefined;
  }

  function tick(): void {
    const liveness = readLiveness();
    const part = stuckPart(liveness);
    if (part !== undefined && stuck === undefined) log.say('systemd.standstill', { part });
    stuck = part;
    const first = !ready && startIsOver;
    ready ||= first;
    notify({
      ...(first && { READY: 1 }),
      ...(part === undefined && (ready ? { WATCHDOG: 1 } : { EXTEND_TIMEOUT_USEC: startExtensionUs })),
      STATUS: part === undefined ? status : `${part} does not respond; ${status}`,
    });
    if (readingSince === undefined) void refresh();
    timer = setTimeout(tick, ready ? readyTickMs : tickMs.starting);
  }

  async function refresh(): Promise<void> {
    readingSince = monotonic();
    const { connects, failure } = readLiveness().pbx;
    const needsPerson = failure !== undefined && !mayPass(failure);
    const over = connects > 0 || needsPerson || monotonic() - startedAt >= longestStartMs;
    try {
      status = statusLine(await tools.readStatus(), failure);
    } catch {
      // The storage thread has ended, which ends the program.
    }
    startIsOver = over;
    readingSince = undefined;
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
      if (ready) notify({ READY: 1 });
    },
  };
}

/** The status in one line, for `systemctl status`, with what to do about a failure of the link. */
function statusLine({ pbx, calls, outbox, reasons }: BridgeStatus, failure?: AmiFailure): string {
  const remedy = failure && (messages[failureCodes[failure.kind]] as Message).todo;
  const state = reasons.length > 0 ? reasons.join('; ') : `Asterisk ${pbx.version} at ${pbx.address}`;
  const dead = outbox.dead > 0 ? `, ${outbox.dead} dead letters` : '';
  return escapeControls(
    `${state}${remedy ? `. ${remedy} ` : '; '}${calls.open} open calls, ${outbox.delivered} delivered, ${outbox.waiting} waiting${dead}`,
  );
}
