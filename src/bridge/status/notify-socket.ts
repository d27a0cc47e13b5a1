import { dlopen } from 'node:ffi';

/** socket(2), unix(7), send(2), as Linux numbers them on every architecture. */
const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const SOCK_CLOEXEC = 0o2000000;
const MSG_DONTWAIT = 0x40;
const MSG_NOSIGNAL = 0x4000;

/**
 * Opens the service manager's socket (NOTIFY_SOCKET in sd_notify(3): a path, or `@` and an abstract name). The returned
 * function sends one datagram, one `NAME=VALUE` per line, and throws if that fails.
 *
 * Node has no Unix datagram sockets, so this calls the C library. A child process (`systemd-notify`) would need
 * NotifyAccess=all, which lets any child notify for the service; a native addon would be third-party code for each
 * architecture. node:ffi is part of the Node version that this package includes.
 */
export function openNotifySocket(path: string): (state: string) => void {
  const { functions: c } = dlopen(null, {
    socket: { arguments: ['i32', 'i32', 'i32'], return: 'i32' },
    sendto: { arguments: ['i32', 'buffer', 'u64', 'i32', 'buffer', 'u32'], return: 'i64' },
  });
  const address = socketAddress(path);
  const socket = c.socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0) throw new Error('cannot create a socket for the service manager');
  return (state) => {
    const message = Buffer.from(state);
    const flags = MSG_DONTWAIT | MSG_NOSIGNAL;
    const sent = c.sendto(socket, message, BigInt(message.length), flags, address, address.length);
    if (sent !== BigInt(message.length))
      throw new Error(`the service manager at ${path} does not accept notifications`);
  };
}

/** struct sockaddr_un. An abstract name begins with a NUL and has no terminating one. */
function socketAddress(path: string): Buffer {
  if (Buffer.byteLength(path) > 107) throw new Error(`NOTIFY_SOCKET is too long: ${path}`);
  const family = Buffer.from(new Uint16Array([AF_UNIX]).buffer);
  return path.startsWith('@')
    ? Buffer.concat([family, Buffer.from(`\0${path.slice(1)}`)])
    : Buffer.concat([family, Buffer.from(`${path}\0`)]);
}
