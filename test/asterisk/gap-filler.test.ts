import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { cdrOf } from './cdr.ts';
import { type CdrPlace, cdrPlaces } from './cdr-source.ts';
import { type FarEnd, startFarEnd } from './far-end.ts';
import { install, labImpossible, type Version } from './install.ts';
import { type Lab, openLab } from './lab.ts';
import { type Office, office } from './offices.ts';
import { type ExpectedCall, expectedCalls, type Row } from './row.ts';
import { playRow } from './stage.ts';
import { rowsOf } from './worlds.ts';

/**
 * A bridge that dies, and an Asterisk that dies, during a call. Calls of all kinds while no bridge runs are in the matrix.
 */
const impossible = labImpossible();
if (impossible) process.stdout.write(`test/asterisk: no real Asterisk on this machine: ${impossible}\n`);

type Play = { readonly row: Row; readonly index: number; readonly office: Office };
type Due = {
  readonly row: string;
  readonly uniqueid: string;
  readonly call: ExpectedCall;
  /** The bridge may have been killed before it could write down that this was delivered: then it is sent again. */
  readonly mayRepeat?: boolean;
};

/** Plays a row; gives what must be reported of it once Asterisk has written its records. */
async function play(lab: Lab, { row, index, office }: Play): Promise<Due[]> {
  const { inbound } = await playRow({ row, index, office, ...lab });
  const calls = expectedCalls(row, index, office);
  assert.equal(inbound.length, calls.length + (row.unreported ?? 0), row.name);
  await cdrOf(
    lab.pbx,
    inbound.map(({ uniqueid }) => uniqueid),
  );
  return calls.map((call, nth) => ({ row: row.name, uniqueid: inbound[nth]?.uniqueid ?? '', call }));
}

/** The same for a row that a bridge hears which is killed soon. */
async function playHeard(lab: Lab, row: Play): Promise<Due[]> {
  return (await play(lab, row)).map((due) => ({ ...due, mayRepeat: true }));
}

/** Waits until all of them have ended at the far side; the comparison says what is missing. */
async function untilTold(farEnd: FarEnd, due: readonly Due[]): Promise<void> {
  const isOver = ({ uniqueid }: Due) => farEnd.receivedOf(uniqueid)?.reported.at(-1)?.status === 'completed';
  await farEnd.farSide.waitFor(() => due.every(isOver), 30_000).catch(() => {});
}

/** What differs: a call that is not reported as it should be, one that should not be reported, one reported too late. */
function faultsOf(farEnd: FarEnd, due: readonly Due[]): string[] {
  const wrong = due.flatMap(({ row, uniqueid, call, mayRepeat = false }) => {
    const held = farEnd.receivedOf(uniqueid);
    const once = held?.reported.filter(
      (event, nth, all) => !mayRepeat || !isDeepStrictEqual(event, all[nth - 1]),
    );
    if (held?.from === call.from && isDeepStrictEqual(once, call.reported)) return [];
    return [`${row}: reported ${JSON.stringify(held)}, not ${JSON.stringify(call)}`];
  });
  const extra = farEnd.uniqueids().filter((uniqueid) => !due.some((one) => one.uniqueid === uniqueid));
  const { inverted } = farEnd.farSide.counts();
  return [
    ...wrong,
    ...extra.map((uniqueid) => `reported ${uniqueid}, which is none to report`),
    ...(inverted > 0 ? [`${inverted} events came too late`] : []),
  ];
}

async function openGapLab(version: Version, { lab: options, settings }: CdrPlace) {
  const lab = await openLab(version, options);
  const farEnd = await startFarEnd({ amiPort: lab.pbx.ports.ami, settings: settings(lab.pbx) });
  return { lab, farEnd };
}

const scenes = [
  { version: '22', place: cdrPlaces.csv },
  { version: '16', place: cdrPlaces.sqlite },
] as const;

for (const { version, place } of scenes) {
  const skip = impossible ?? place.impossible() ?? false;
  test(`calls that nobody heard, on a real Asterisk ${version}, from ${place.name}`, { skip }, async (t) => {
    await install(version);
    const opened = await place.open();
    t.after(opened.stop);
    const { lab, farEnd } = await openGapLab(version, opened);
    t.after(async () => {
      await farEnd.stop();
      await lab.stop();
    });
    const [first] = rowsOf(version, 'extension-caller-hangs-up') as [{ row: Row; index: number }];
    const due: Due[] = [];

    await t.test('one that is heard is reported once, though its record is read as well', async () => {
      due.push(...(await playHeard(lab, { ...first, office: office(1) })));
      await untilTold(farEnd, due);
      assert.deepEqual(faultsOf(farEnd, due), []);
    });

    await t.test(
      'one that rings when the bridge dies, and is answered and over when it is back',
      async () => {
        const slow = first.row.phones?.[1]?.map((step) =>
          step.replace('milliseconds="300"', 'milliseconds="2500"'),
        );
        const row: Row = {
          ...first.row,
          phones: { 1: slow ?? [] },
          async play(stage) {
            const call = await stage.customerCalls();
            await stage.rings(1);
            await farEnd.farSide.waitFor(() => farEnd.receivedOf(call.channel.uniqueid) !== undefined);
            await farEnd.killBridge();
            await stage.talk(call, 1);
            call.hangsUp();
          },
        };
        due.push(...(await playHeard(lab, { ...first, row, office: office(1) })));
        await farEnd.startBridge();
        await untilTold(farEnd, due);
        assert.deepEqual(faultsOf(farEnd, due), []);
      },
    );

    await t.test(
      'one that rings when Asterisk dies: its end is reported, though there is no record of it',
      async () => {
        const row: Row = {
          ...first.row,
          async play(stage) {
            const call = await stage.customerCalls();
            await stage.rings(1);
            await farEnd.farSide.waitFor(() => farEnd.receivedOf(call.channel.uniqueid) !== undefined);
            await lab.crash();
            await farEnd.connected();
          },
          phones: {
            1: (first.row.phones?.[1] ?? []).map((step) =>
              step.replace('milliseconds="300"', 'milliseconds="9000"'),
            ),
          },
          reported: [{}],
        };
        const { inbound } = await playRow({ row, index: first.index, office: office(1), ...lab });
        const [call] = expectedCalls(row, first.index, office(1)) as [ExpectedCall];
        due.push({ row: 'asterisk-dies', uniqueid: inbound[0]?.uniqueid ?? '', call });
        await untilTold(farEnd, due);
        assert.deepEqual(faultsOf(farEnd, due), []);
      },
    );
  });
}

test('a call that was open when the bridge died, and whose record Asterisk holds back (batch=yes)', {
  skip: impossible ?? false,
}, async (t) => {
  await install('22');
  const held = '[general]\nenable = yes\nbatch = yes\ntime = 20\n[csv]\nloguniqueid = yes\n';
  const place: CdrPlace = {
    lab: { files: { 'cdr.conf': held } },
    settings: (pbx) => ({ CDR_SOURCE: `csv:${pbx.cdrFile}` }),
    stop: async () => {},
  };
  const { lab, farEnd } = await openGapLab('22', place);
  t.after(async () => {
    await farEnd.stop();
    await lab.stop();
  });
  const [first] = rowsOf('22', 'extension-caller-hangs-up') as [{ row: Row; index: number }];
  const row: Row = {
    ...first.row,
    phones: {
      1: (first.row.phones?.[1] ?? []).map((step) =>
        step.replace('milliseconds="300"', 'milliseconds="2500"'),
      ),
    },
    async play(stage) {
      const call = await stage.customerCalls();
      await stage.rings(1);
      await farEnd.farSide.waitFor(() => farEnd.receivedOf(call.channel.uniqueid) !== undefined);
      await farEnd.killBridge();
      await stage.talk(call, 1);
      call.hangsUp();
    },
  };
  const { inbound } = await playRow({ row, index: first.index, office: office(1), ...lab });
  await farEnd.startBridge();
  const [call] = expectedCalls(row, first.index, office(1)) as [ExpectedCall];
  const due = [{ row: 'batch', uniqueid: inbound[0]?.uniqueid ?? '', call, mayRepeat: true }];
  await untilTold(farEnd, due);
  assert.deepEqual(faultsOf(farEnd, due), []);
});
