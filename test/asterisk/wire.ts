import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A wire between the bridge and Asterisk's manager interface that can be cut, or go dead. */
export type Wire = {
  readonly port: number;
  /** Cuts every connection now. New ones are let through. */
  cut(): void;
  /** Cuts after so many more frames from Asterisk, in the middle of the one after them. */
  cutAfter(frames: number): void;
  /** Connections that are open now carry nothing more, and stay open. New ones are let through. */
  goDead(): void;
  close(): Promise<void>;
};

export async function startWire(options: { readonly port: number; readonly target: number }): Promise<Wire> {
  const connections = new Set<{ near: Socket; far: Socket; dead: boolean }>();
  let framesLeft = Number.POSITIVE_INFINITY;

  const cut = () => {
    framesLeft = Number.POSITIVE_INFINITY;
    for (const { near, far } of connections) {
      near.destroy();
      far.destroy();
    }
  };

  const server: Server = createServer((near) => {
    const far = connect({ port: options.target, host: '127.0.0.1' });
    const connection = { near, far, dead: false };
    connections.add(connection);
    const end = () => {
      near.destroy();
      far.destroy();
      connections.delete(connection);
    };
    for (const socket of [near, far]) socket.on('error', end).on('close', end).setNoDelay();
    near.on('data', (bytes: Buffer) => connection.dead || far.write(bytes));
    far.on('data', (bytes: Buffer) => {
      if (connection.dead) return;
      const allowed = bytesOfFrames(bytes, framesLeft);
      framesLeft -= allowed.frames;
      if (!allowed.cut) {
        near.write(bytes);
        return;
      }
      // What was let through still arrives, then the end of the connection.
      framesLeft = Number.POSITIVE_INFINITY;
      near.end(bytes.subarray(0, allowed.bytes));
      far.destroy();
    });
  });
  server.listen(options.port, '127.0.0.1');
  await once(server, 'listening');

  return {
    port: options.port,
    cut,
    cutAfter(frames) {
      framesLeft = frames;
    },
    goDead() {
      for (const connection of connections) connection.dead = true;
    },
    async close() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}

/** How much of these bytes passes when only so many frames may: those, and 20 bytes of the next. */
function bytesOfFrames(bytes: Buffer, allowed: number): { frames: number; bytes: number; cut: boolean } {
  let frames = 0;
  for (let end = bytes.indexOf('\r\n\r\n'); end >= 0; end = bytes.indexOf('\r\n\r\n', end + 4)) {
    if (frames === allowed) break;
    frames++;
    if (frames === allowed) return { frames, bytes: end + 4 + 20, cut: true };
  }
  return { frames, bytes: bytes.length, cut: false };
}
