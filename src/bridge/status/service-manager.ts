import type { Log } from '../../shared/log/log.ts';

/** A notification to the service manager: the variables of sd_notify(3), such as `READY` and `STATUS`. */
export type Notice = Readonly<Record<string, string | number>>;

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

/** Extension of the start timeout while the start waits, microseconds. */
export const startExtensionUs = 60_000_000;
/** Time between two such extensions while the databases are opened, and how long they may take, ms. */
const extendEveryMs = 20_000;
const longestOpeningMs = 2 * 3_600_000;

/**
 * Has the service manager wait for a start: a new version may first back a large database up, and bring it up to date. What
 * takes hours has stuck, and is restarted.
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
