import { isDeepStrictEqual } from 'node:util';
import { type BrokenRow, brokenRows } from './broken-rows.ts';
import { type FarEnd, startFarEnd } from './far-end.ts';
import type { Version } from './install.ts';
import { type Lab, openLab } from './lab.ts';
import { office } from './offices.ts';
import { expectedCalls, matchesRows, type ReportedEvent, type Row } from './row.ts';
import { matrix } from './rows/all.ts';
import { playRow } from './stage.ts';
import { startWire } from './wire.ts';

export type BrokenVerdict = {
  readonly row: string;
  readonly says: string;
  readonly faults: readonly string[];
};

/** How many broken rows are played at the same time, each on an Asterisk of its own. */
const atOnce = 3;

export async function runBroken(version: Version, rows = '*'): Promise<BrokenVerdict[]> {
  const left = brokenRows.filter(({ name }) => matchesRows(name, rows));
  const order = left.map(({ name }) => name);
  const verdicts: BrokenVerdict[] = [];
  const work = async () => {
    let lab = await openLab(version);
    for (let row = left.shift(); row; row = left.shift()) {
      const faults = await playBroken(lab, row).catch((error) => [String(error)]);
      verdicts.push({ row: row.name, says: row.says, faults });
      if (faults.length === 0) continue;
      // What went wrong may not be over, and the next row is not to blame for it.
      await lab.stop();
      lab = await openLab(version);
    }
    await lab.stop();
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return verdicts.sort((a, b) => order.indexOf(a.row) - order.indexOf(b.row));
}

/** Plays one, with a bridge and a far side of its own; gives what is wrong with what was reported. */
async function playBroken(lab: Lab, broken: BrokenRow): Promise<string[]> {
  const index = matrix.findIndex(({ name }) => name === broken.base);
  const base = matrix[index] as Row;
  const wire = await startWire({
    port: lab.pbx.ports.at(lab.pbx.ports.room - 1),
    target: lab.pbx.ports.ami,
  });
  const farEnd = await startFarEnd({ amiPort: wire.port });
  try {
    const row: Row = {
      ...base,
      ...(broken.phones ? { phones: broken.phones } : {}),
      ...(broken.mobile ? { mobile: broken.mobile } : {}),
      reported: broken.reported ?? base.reported,
      play: (stage) => broken.play(stage, { lab, farEnd, wire }),
    };
    const first = office(1);
    const play = await playRow({ row, index, office: first, ...lab });
    const expected = expectedCalls(row, index, first);
    const uniqueids = play.inbound.map(({ uniqueid }) => uniqueid);
    await untilOver(farEnd, uniqueids);
    return compare(farEnd, uniqueids, expected);
  } finally {
    await farEnd.stop();
    await wire.close();
  }
}

async function untilOver(farEnd: FarEnd, uniqueids: readonly string[]): Promise<void> {
  const isOver = (uniqueid: string) => farEnd.receivedOf(uniqueid)?.reported.at(-1)?.status === 'completed';
  await farEnd.farSide.waitFor(() => uniqueids.every(isOver), 30_000).catch(() => {});
}

/** Every call is reported as expected; an event may be reported twice (at least once is promised), but none too late. */
function compare(
  farEnd: FarEnd,
  uniqueids: readonly string[],
  expected: readonly { readonly from: string; readonly reported: readonly ReportedEvent[] }[],
): string[] {
  const faults: string[] = [];
  for (const [i, call] of expected.entries()) {
    const held = farEnd.receivedOf(uniqueids[i] ?? '');
    const once = held?.reported.filter((event, n, all) => !isDeepStrictEqual(event, all[n - 1])) ?? [];
    if (held?.from !== call.from || !isDeepStrictEqual(once, call.reported)) {
      faults.push(`reported ${JSON.stringify(held)}, not ${JSON.stringify(call)}`);
    }
  }
  const extra = farEnd
    .uniqueids()
    .filter((uniqueid) => !uniqueids.slice(0, expected.length).includes(uniqueid));
  if (extra.length > 0) faults.push(`reported ${extra.join(', ')}, which are no calls to report`);
  const { inverted } = farEnd.farSide.counts();
  if (inverted > 0) faults.push(`${inverted} events came too late and were discarded`);
  return faults;
}
