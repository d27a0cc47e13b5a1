import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** After the nth event of this name from now on. */
export type CutAfterEvent = { readonly event: string; readonly nth: number };
/** Where to cut; `bytes`: after this number of further ones. */
type CutAt = CutAfterEvent | { readonly bytes: number };

/** A wire between the bridge and Asterisk's manager interface that can be cut, or go dead. */
export type Wire = {
  readonly port: number;
  /**
   * Cuts there: an event still arrives, with the first bytes of what follows it. Resolves when it is cut. New connections
   * are let through.
   */
  cutAfter(place: CutAt): Promise<void>;
  /** Connections that are open now carry nothing more, and stay open. New ones are let through. */
  goDead(): void;
  /** While true no new connection gets through; those that are open now stay. */
  refuse(refuses: boolean): void;
  close(): Promise<void>;
};

/** What a proxy lets through that knows only the actions that the bridge cannot do without; for `rewrite`. */
export function onlyNeededActions(text: string): string {
  const actions = text.split(/(?<=\r\n\r\n)/);
  return actions.filter((action) => /^Action: (Login|CoreShowChannels|Logoff)\r$/im.test(action)).join('');
}

/**
 * @param options `port`: 0 for any free one. `delayMs`: how long everything takes in either direction. `rewrite`:
 * changes what the bridge sends.
 */
export async function startWire(options: {
  readonly port: number;
  readonly target: number;
  readonly delayMs?: number;
  readonly rewrite?: (text: string) => string;
}): Promise<Wire> {
  const { delayMs = 0, rewrite } = options;
  const carry = (send: () => void): void => {
    if (delayMs === 0) send();
    else setTimeout(send, delayMs);
  };
  const connections = new Set<{ near: Socket; far: Socket; dead: boolean }>();
  let place: CutAt | undefined;
  let seen = 0;
  let refuses = false;
  let onCut = () => {};

  /** How many of these bytes may pass before the cut; undefined: all, no cut. Counts events on the way. */
  function untilCut(bytes: Buffer): number | undefined {
    if (!place) return undefined;
    if ('bytes' in place) {
      seen += bytes.length;
      return seen < place.bytes ? undefined : bytes.length - (seen - place.bytes);
    }
    for (const { index } of bytes
      .toString('latin1')
      .matchAll(new RegExp(`^Event: ${place.event}\r$`, 'gm'))) {
      seen++;
      if (seen < place.nth) continue;
      const end = bytes.indexOf('\r\n\r\n', index);
      return end < 0 ? bytes.length : end + 4 + 20;
    }
    return undefined;
  }

  const server = createServer((near) => {
    if (refuses) {
      near.on('error', () => {});
      near.resetAndDestroy();
      return;
    }
    const far = connect({ port: options.target, host: '127.0.0.1' });
    const connection = { near, far, dead: false };
    connections.add(connection);
    const end = () => {
      near.destroy();
      far.destroy();
      connections.delete(connection);
    };
    for (const socket of [near, far]) socket.on('error', end).on('close', end).setNoDelay();
    near.on('data', (bytes: Buffer) => {
      const sent = rewrite ? Buffer.from(rewrite(bytes.toString('latin1')), 'latin1') : bytes;
      carry(() => connection.dead || far.write(sent));
    });
    const back = (bytes: Buffer) => {
      if (connection.dead) return;
      const length = untilCut(bytes);
      if (length === undefined) {
        near.write(bytes);
        return;
      }
      // What was let through still arrives, then the end of the connection.
      place = undefined;
      near.end(bytes.subarray(0, length));
      connection.dead = true;
      far.destroy();
      onCut();
    };
    far.on('data', (bytes: Buffer) => carry(() => back(bytes)));
  });
  server.listen(options.port, '127.0.0.1');
  await once(server, 'listening');

  return {
    port: (server.address() as AddressInfo).port,
    cutAfter(at) {
      place = at;
      seen = 0;
      return new Promise((resolve) => {
        onCut = resolve;
      });
    },
    goDead() {
      for (const connection of connections) connection.dead = true;
    },
    refuse(value) {
      refuses = value;
    },
    async close() {
      for (const { near, far } of connections) {
        near.destroy();
        far.destroy();
      }
      server.close();
      await once(server, 'close');
    },
  };
}
