import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A cable from a port of its own to another on this machine, which can be pulled out and put back. */
export type Cable = {
  readonly port: number;
  /** Open connections are reset, new ones too. */
  pull(): void;
  putBack(): void;
  close(): Promise<void>;
};

export async function layCable(target: number): Promise<Cable> {
  const ends = new Set<Socket>();
  let pulled = false;
  const server = createServer((near) => {
    if (pulled) {
      near.on('error', () => {});
      near.resetAndDestroy();
      return;
    }
    const far = connect({ port: target, host: '127.0.0.1' });
    for (const [end, other] of [
      [near, far],
      [far, near],
    ] as const) {
      ends.add(end);
      end.setNoDelay();
      end.on('error', () => other.destroy());
      end.on('close', () => {
        ends.delete(end);
        other.destroy();
      });
      end.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    for (const end of ends) end.resetAndDestroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    pull() {
      pulled = true;
      cut();
    },
    putBack() {
      pulled = false;
    },
    async close() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
