import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startFarEnd } from '../tools/lab/far-end.ts';
import { labImpossible, versions } from '../tools/lab/install.ts';
import { office } from '../tools/lab/offices.ts';
import { faultsOf } from '../tools/lab/reported-faults.ts';
import { expectedCalls, type Row } from '../tools/lab/row.ts';
import { playRow } from '../tools/lab/stage.ts';
import { startWire } from '../tools/lab/wire.ts';
import { type BrokenRow, brokenRows } from './broken-rows.ts';
import { type Lab, openLab } from './lab.ts';
import { matrix } from './rows/all.ts';

const skip = labImpossible() ?? false;

/** How many broken rows are played at the same time, each on an Asterisk of its own. */
const atOnce = 3;

for (const version of versions)
  test(`what breaks around a real Asterisk ${version}`, { skip }, async (t) => {
    const left = [...brokenRows];
    const work = async () => {
      let lab = await openLab(version);
      for (let row = left.shift(); row; row = left.shift()) {
        const faults = await playBroken(lab, row).catch((error) => [String(error)]);
        await t.test(`${row.name}: ${row.says}`, () => assert.deepEqual(faults, []));
        if (faults.length === 0) continue;
        // What went wrong may not be over, and the next row is not to blame for it.
        await lab.stop();
        lab = await openLab(version);
      }
      await lab.stop();
    };
    await Promise.all(Array.from({ length: atOnce }, work));
  });

/** Plays one, with a bridge and an API of its own; gives what is wrong with what was reported. */
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
    const due = expectedCalls(row, index, first).map((call, nth) => ({
      call,
      uniqueid: play.inbound[nth]?.uniqueid ?? '',
      mayRepeat: true,
    }));
    return await faultsOf(farEnd, due);
  } finally {
    await farEnd.stop();
    await wire.close();
  }
}
