import { setTimeout as sleep } from 'node:timers/promises';
import type { Wire } from '../lab/wire.ts';

/** How a link to Asterisk breaks: the connection ends, or says nothing any more, or Asterisk itself is gone. */
export const linkTroubles = ['cut', 'dead', 'killed'] as const;
export type LinkTrouble = (typeof linkTroubles)[number];

/** Cuts it somewhere within this number of bytes from now on, and accepts no connection for a while. */
export async function cutWithin(
  wire: Wire,
  bytes: number,
  { random, gapMs }: { readonly random: () => number; readonly gapMs: number },
): Promise<void> {
  await wire.cutAfter({ bytes: 1 + Math.floor(random() * bytes) });
  await stayAway(wire, gapMs);
}

/** Without a word that it is gone: the bridge has to find out. */
export async function goDead(wire: Wire, gapMs: number): Promise<void> {
  wire.goDead();
  await stayAway(wire, gapMs);
}

async function stayAway(wire: Wire, gapMs: number): Promise<void> {
  wire.refuse(true);
  await sleep(gapMs);
  wire.refuse(false);
}
