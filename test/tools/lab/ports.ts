import { createServer, type Server } from 'node:net';

const blockSize = 500;
/** Ports of a block for phones, callers, mobiles and a wire. */
const room = 195;

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

/** The lab has no room for something, or is set up wrongly: the message says all that there is to say. */
export class LabLimit extends Error {}

/** The ports that labs may have: LAB_PORTS. */
export function labPorts(setting = process.env.LAB_PORTS ?? '20000-29999'): { first: number; last: number } {
  const [first = 0, last = 0] = /^\d+-\d+$/.test(setting) ? setting.split('-').map(Number) : [];
  if (first < 1_024 || last > 65_535 || last - first + 1 < blockSize)
    throw new LabLimit(
      `LAB_PORTS must be the first and the last of ${blockSize} ports or more from 1024 to 65535, such as 20000-29999, not ${setting}`,
    );
  return { first, last };
}

/** Finds a free block. A listener on the block's first port is the claim; it goes with this process. */
export async function claimPorts(range = labPorts()): Promise<PortBlock> {
  const { first, last } = range;
  const blocks = Math.floor((last + 1 - first) / blockSize);
  const start = Math.floor(Math.random() * blocks);
  for (let i = 0; i < blocks; i++) {
    const base = first + ((start + i) % blocks) * blockSize;
    const claim = await listen(base);
    if (!claim) continue;
    return {
      sip: base + 1,
      chanSip: base + 2,
      ami: base + 3,
      ari: base + 4,
      fastAgi: base + 200,
      rtp: [base + 202, base + blockSize - 1],
      at(index) {
        if (index >= room)
          throw new LabLimit(`a lab has ${room} ports for phones: there is no port ${index + 1}`);
        return base + 5 + index;
      },
      room,
      release: () => claim.close(),
    };
  }
  throw new LabLimit(
    `each of the ${blocks} blocks of ${blockSize} ports from ${first} to ${last} is in use: LAB_PORTS can name others`,
  );
}

function listen(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy()).unref();
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}
