import { dlopen } from 'node:ffi';
import { rmSync } from 'node:fs';

/** The service manager's end of NOTIFY_SOCKET: a datagram socket bound to a path, or to `@` and an abstract name. */
type NotifyReceiver = {
  /** The datagrams that have arrived since the last call. */
  take(): string[];
  close(): void;
};

const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const MSG_DONTWAIT = 0x40;

export function openNotifyReceiver(path: string): NotifyReceiver {
  const { functions: c } = dlopen(null, {
    socket: { arguments: ['i32', 'i32', 'i32'], return: 'i32' },
    bind: { arguments: ['i32', 'buffer', 'u32'], return: 'i32' },
    recv: { arguments: ['i32', 'buffer', 'u64', 'i32'], return: 'i64' },
    close: { arguments: ['i32'], return: 'i32' },
  });
  const name = path.startsWith('@') ? `\0${path.slice(1)}` : path;
  const address = Buffer.concat([Buffer.from(new Uint16Array([AF_UNIX]).buffer), Buffer.from(name)]);
  const socket = c.socket(AF_UNIX, SOCK_DGRAM, 0);
  if (c.bind(socket, address, address.length) !== 0) throw new Error(`cannot bind to ${path}`);
  const buffer = Buffer.alloc(4096);
  return {
    take() {
      const taken: string[] = [];
      for (;;) {
        const length = Number(c.recv(socket, buffer, BigInt(buffer.length), MSG_DONTWAIT));
        if (length < 0) return taken;
        taken.push(buffer.toString('utf8', 0, length));
      }
    },
    close() {
      c.close(socket);
      if (!path.startsWith('@')) rmSync(path, { force: true });
    },
  };
}
