import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { cdrOf } from '../tools/lab/cdr.ts';
import { type CdrPlace, cdrPlaces } from '../tools/lab/cdr-source.ts';
import { startFarEnd } from '../tools/lab/far-end.ts';
import { labImpossible, type Version } from '../tools/lab/install.ts';
import { office } from '../tools/lab/offices.ts';
import { type Due, faultsOf } from '../tools/lab/reported-faults.ts';
import { expectedCalls, type Row } from '../tools/lab/row.ts';
import { phone } from '../tools/lab/sip-script.ts';
import { type Placed, playRow, type Stage } from '../tools/lab/stage.ts';
import { openLab } from './lab.ts';
import { rowsOf } from './worlds.ts';

/**
 * A bridge that dies, and an Asterisk that dies, during a call. Calls of all kinds while no bridge runs are in the matrix.
 */
const skip = labImpossible() ?? false;

async function openScene(
  t: TestContext,
  version: Version,
  place: CdrPlace,
  baseRow = 'extension-caller-hangs-up',
) {
  const lab = await openLab(version, place.lab);
  const farEnd = await startFarEnd({ amiPort: lab.pbx.ports.ami, settings: place.settings(lab.pbx) });
  t.after(async () => {
    await farEnd.stop();
    await lab.stop();
  });
  const [{ row: base, index }] = rowsOf(version, baseRow) as [{ row: Row; index: number }];
  /** Plays the row; gives what must be reported of it. */
  async function played(changes: Partial<Row>, mayRepeat: boolean): Promise<Due> {
    const row = { ...base, ...changes };
    const { inbound } = await playRow({ row, index, office: office(1), ...lab });
    const [call] = expectedCalls(row, index, office(1));
    assert.ok(call && inbound.length === 1);
    return { uniqueid: inbound[0]?.uniqueid ?? '', call, mayRepeat };
  }
  /** Something else happens after the bridge has reported that it rings. */
  const whileRinging = (then: (stage: Stage, call: Placed) => Promise<void>) => async (stage: Stage) => {
    const call = await stage.customerCalls();
    await stage.rings(1);
    await farEnd.fakeApi.waitFor(() => farEnd.receivedOf(call.channel.uniqueid) !== undefined);
    await then(stage, call);
  };
  return {
    lab,
    farEnd,
    played,
    /** Rings when the bridge dies, and is answered and over when it is back. */
    bridgeDies: () => {
      const play = whileRinging(async (stage, call) => {
        await farEnd.killBridge();
        await stage.talk(call, 1);
        call.hangsUp();
      });
      return played({ phones: { 1: phone.answers({ after: 2_500 }) }, play }, true);
    },
    asteriskDies: () => {
      const play = whileRinging(async () => {
        await lab.crash();
        await farEnd.connected();
      });
      return played({ phones: { 1: phone.rings() }, play, reported: [{}] }, false);
    },
  };
}

for (const [version, place] of [
  ['22', cdrPlaces.csv],
  ['16', cdrPlaces.sqlite],
] as const)
  test(`calls that nobody heard, on a real Asterisk ${version}, from ${place.name}`, { skip }, async (t) => {
    const { lab, farEnd, played, bridgeDies, asteriskDies } = await openScene(t, version, await place.open());
    const due: Due[] = [];
    const check = async (one: Due) => {
      due.push(one);
      assert.deepEqual(await faultsOf(farEnd, due), []);
    };

    await t.test('one that is heard is reported once, though its record is read as well', async () => {
      const heard = await played({}, true);
      await cdrOf(lab.pbx, [heard.uniqueid]);
      await check(heard);
    });
    await t.test(
      'one that rings when the bridge dies, and is answered and over when it is back',
      async () => {
        const missed = await bridgeDies();
        await cdrOf(lab.pbx, [missed.uniqueid]);
        await farEnd.startBridge();
        await check(missed);
      },
    );
    await t.test(
      'one that rings when Asterisk dies: its end is reported, though there is no record',
      async () => check(await asteriskDies()),
    );
  });

test('a call that was open when the bridge died, and whose record Asterisk holds back (batch=yes)', {
  skip,
}, async (t) => {
  const held = '[general]\nenable = yes\nbatch = yes\ntime = 20\n[csv]\nloguniqueid = yes\n';
  const csv = await cdrPlaces.csv.open();
  const place = { ...csv, lab: { files: { 'cdr.conf': held } } };
  const { farEnd, bridgeDies } = await openScene(t, '22', place);
  const due = await bridgeDies();
  await farEnd.startBridge();
  assert.deepEqual(await faultsOf(farEnd, [due]), []);
});

test('an answered call of a queue whose record says NO ANSWER (ignoredialchanges=yes)', {
  skip,
}, async (t) => {
  const ignoring = '[general]\nenable = yes\nignoredialchanges = yes\n[csv]\nloguniqueid = yes\n';
  const csv = await cdrPlaces.csv.open();
  const place = { ...csv, lab: { files: { 'cdr.conf': ignoring } } };
  const { lab, farEnd, played } = await openScene(t, '22', place, 'queue-phones-ringall');
  await farEnd.killBridge();
  const due = await played({}, false);
  const records = await cdrOf(lab.pbx, [due.uniqueid]);
  assert.match(JSON.stringify(records), /NO ANSWER/);
  await farEnd.startBridge();
  assert.deepEqual(await faultsOf(farEnd, [due]), []);
});
