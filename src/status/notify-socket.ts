import { dlopen } from 'node:ffi';

/** socket(2), unix(7), send(2), as Linux numbers them on every architecture. */
const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const SOCK_CLOEXEC = 0o2000000;
const MSG_DONTWAIT = 0x40;
const MSG_NOSIGNAL = 0x4000;

/**
 * Opens the way to the service manager's socket (NOTIFY_SOCKET in sd_notify(3): a path, or `@` and an abstract name).
 * The function that it gives sends one datagram, `NAME=VALUE` in each line, and throws if that failed.
 *
 * Node has no datagram sockets of this family, so the C library is asked. A child (`systemd-notify`) would need
 * NotifyAccess=all, with which any child may speak for the service; an addon would be code from a third party, for
 * each architecture. node:ffi comes with the runtime, which this project brings along in one fixed version.
 */
export function openNotifySocket(path: string): (state: string) => void {
  const { functions: c } = dlopen(null, {
    socket: { arguments: ['i32', 'i32', 'i32'], return: 'i32' },
    sendto: { arguments: ['i32', 'buffer', 'u64', 'i32', 'buffer', 'u32'], return: 'i64' },
  });
  const address = socketAddress(path);
  const socket = c.socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0) throw new Error('no socket for the service manager');
  return (state) => {
    const message = Buffer.from(state);
    const flags = MSG_DONTWAIT | MSG_NOSIGNAL;
    const sent = c.sendto(socket, message, BigInt(message.length), flags, address, address.length);
    if (sent !== BigInt(message.length)) throw new Error(`the service manager at ${path} takes nothing`);
  };
}

/** struct sockaddr_un. An abstract name begins with a NUL, and its length counts: no other may follow it. */
function socketAddress(path: string): Buffer {
  if (Buffer.byteLength(path) > 107) throw new Error(`NOTIFY_SOCKET is too long: ${path}`);
  const family = Buffer.from(new Uint16Array([AF_UNIX]).buffer);
  return path.startsWith('@')
    ? Buffer.concat([family, Buffer.from(`\0${path.slice(1)}`)])
    : Buffer.concat([family, Buffer.from(`${path}\0`)]);
}
