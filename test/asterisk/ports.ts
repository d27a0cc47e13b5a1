import { createServer, type Server } from 'node:net';

const first = 20_000;
const last = 29_999;
const blockSize = 500;

/** A block of ports on 127.0.0.1 that no other lab on this machine has. */
export type PortBlock = {
  readonly sip: number;
  readonly chanSip: number;
  readonly ami: number;
  /** Asterisk's HTTP server, for ARI. */
  readonly ari: number;
  /** FreePBX's own FastAGI server, in worlds with FreePBX's dialplan. */
  readonly fastAgi: number;
  /** For RTP: from, to. */
  readonly rtp: readonly [number, number];
  /** For phones, callers, mobiles and a wire: `at(0)` to `at(room - 1)`. */
  at(index: number): number;
  readonly room: number;
  release(): void;
};

/** Finds a free block. A listener on the block's first port is the claim; it goes with this process. */
export async function claimPorts(): Promise<PortBlock> {
  const blocks = Math.floor((last + 1 - first) / blockSize);
  const start = Math.floor(Math.random() * blocks);
  for (let i = 0; i < blocks; i++) {
    const base = first + ((start + i) % blocks) * blockSize;
    const claim = await listen(base);
    if (!claim) continue;
    const room = 195;
    return {
      sip: base + 1,
      chanSip: base + 2,
      ami: base + 3,
      ari: base + 4,
      fastAgi: base + 200,
      rtp: [base + 202, base + blockSize - 1],
      at(index) {
        if (index >= room) throw new Error(`the lab has ${room} ports for phones, not ${index + 1}`);
        return base + 5 + index;
      },
      room,
      release: () => claim.close(),
    };
  }
  throw new Error(`no free block of ${blockSize} ports between ${first} and ${last}`);
}

function listen(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy()).unref();
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}
