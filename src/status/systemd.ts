import type { Log } from '../log/log.ts';
import { escapeControls } from '../log/redact.ts';
import type { BridgeStatus } from './bridge-status.ts';

/** What the service manager is told, as in sd_notify(3): `READY`, `STATUS` and so on, each with its value. */
export type Notice = Readonly<Record<string, string | number>>;

/** What can be seen of a bridge without waiting for anything. */
export type Signs = {
  readonly pbx: Pick<BridgeStatus['pbx'], 'state' | 'since' | 'lastPongAt' | 'bytesIn' | 'connects'>;
  readonly storage: BridgeStatus['outbox']['storage'];
  /** When the oldest batch that is not on disk yet was handed over, Unix ms. */
  readonly uncommittedSince?: number | undefined;
};

/**
 * The way to the service manager, `socket` being what it gave in NOTIFY_SOCKET. Without one, nobody is told: the
 * program was started by hand.
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

export type Supervisor = {
  start(): void;
  stop(): void;
  /** Runs what a reload does, between the notices that systemd waits for (`Type=notify` in systemd.service(5)). */
  reload(work: () => void): void;
};

/** A Ping goes out every 5 s, an attempt to connect takes 10 s, a pause between attempts 10 s. */
const longestStandstillMs = 30_000;

/** How often it is looked, ms, at least: until the PBX was read, somebody waits for it at a terminal. */
const lookMs = { starting: 250, ready: 5_000 };

/** While the PBX is away the start goes on; a start that hangs is not prolonged, and ends. Microseconds. */
const moreTimeUs = 60_000_000;

/**
 * Tells systemd how a bridge is: ready once the PBX's channels were read for the first time, a line for `systemctl
 * status`, and alive as long as the link to the PBX and the disk move. A timer alone would only prove that there are
 * timers. A PBX that is away and a disk that is full are no reason to be started again: nothing would be better
 * then, and what waits in memory would be lost.
 */
export function createSupervisor(tools: {
  readonly tell: (notice: Notice) => void;
  readonly look: () => Signs;
  readonly read: () => Promise<BridgeStatus>;
  readonly log: Log;
  /** How long systemd waits for a beat; undefined if it does not. */
  readonly watchdogMs?: number | undefined;
  /** ms of the system's monotonic clock, which systemd reads too. */
  readonly monotonic: () => number;
  /** Unix ms. */
  readonly now: () => number;
}): Supervisor {
  const { tell, look, log, monotonic, now } = tools;
  // Two beats may be late before anything happens.
  const beatMs = Math.min(lookMs.ready, (tools.watchdogMs ?? Number.POSITIVE_INFINITY) / 4);
  let timer: NodeJS.Timeout | undefined;
  let ready = false;
  let status = 'starting';
  let readingSince: number | undefined;
  let sign = '';
  let movedAt = monotonic();
  let stuck: string | undefined;

  /** What stands still although it should move. */
  function standstill({ pbx, storage, uncommittedSince }: Signs): string | undefined {
    const next = [pbx.state, pbx.since, pbx.lastPongAt, pbx.bytesIn].join();
    if (next !== sign) movedAt = monotonic();
    sign = next;
    if (monotonic() - movedAt > longestStandstillMs) return 'the link to Asterisk';
    // A disk that is full or fails is known, and waited out.
    if (storage.state !== 'working') return undefined;
    const waited = Math.max(
      uncommittedSince === undefined ? 0 : now() - uncommittedSince,
      readingSince === undefined ? 0 : monotonic() - readingSince,
    );
    return waited > longestStandstillMs ? 'the storage' : undefined;
  }

  function tick(): void {
    const signs = look();
    const part = standstill(signs);
    if (part !== undefined && stuck === undefined) log.say('systemd.standstill', { part });
    stuck = part;
    const first = !ready && signs.pbx.connects > 0;
    ready ||= first;
    tell({
      ...(first && { READY: 1 }),
      ...(part === undefined && (ready ? { WATCHDOG: 1 } : { EXTEND_TIMEOUT_USEC: moreTimeUs })),
      STATUS: part === undefined ? status : `no sign of life from ${part}; ${status}`,
    });
    if (readingSince === undefined) void refresh();
    timer = setTimeout(tick, ready ? beatMs : lookMs.starting);
  }

  async function refresh(): Promise<void> {
    readingSince = monotonic();
    try {
      status = statusLine(await tools.read());
    } catch {
      // The storage has ended, and with it the program.
    }
    readingSince = undefined;
  }

  return {
    start: tick,
    stop() {
      clearTimeout(timer);
      tell({ STOPPING: 1, STATUS: 'stopping; what is on disk is delivered after the next start' });
    },
    reload(work) {
      tell({ RELOADING: 1, MONOTONIC_USEC: Math.floor(monotonic() * 1_000) });
      work();
      // A start that is not over yet is not over for having been reloaded.
      if (ready) tell({ READY: 1 });
    },
  };
}

/** A bridge in one line, for `systemctl status`. */
export function statusLine({ pbx, calls, outbox, reasons }: BridgeStatus): string {
  const trouble = reasons.length > 0 ? reasons.join('; ') : `Asterisk ${pbx.version} at ${pbx.address}`;
  const dead = outbox.dead > 0 ? `, ${outbox.dead} dead letters` : '';
  return escapeControls(
    `${trouble}; ${calls.open} calls open, ${outbox.delivered} delivered, ${outbox.waiting} waiting${dead}`,
  );
}
