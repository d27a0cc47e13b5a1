import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { didOf, mostRows } from '../tools/lab/dialplan.ts';
import { startFarEnd } from '../tools/lab/far-end.ts';
import { labImpossible } from '../tools/lab/install.ts';
import { callerPort, office, phonePort } from '../tools/lab/offices.ts';
import { claimPorts, labPorts, type PortBlock } from '../tools/lab/ports.ts';
import { expectedCalls, type Row } from '../tools/lab/row.ts';
import { playRow } from '../tools/lab/stage.ts';
import { openLab } from './lab.ts';
import { rowsOf } from './worlds.ts';

const skip = labImpossible() ?? false;

for (const world of ['22', 'freepbx-16'] as const)
  test(`rows beyond the hundredth have telephone numbers too, on ${world}`, { skip }, async (t) => {
    const [found] = rowsOf(world, 'extension-caller-hangs-up');
    const row = found?.row as Row;
    const rows: Row[] = [];
    const indexes = [0, 99, 100, 123, mostRows - 1];
    for (const index of indexes) rows[index] = row;
    const lab = await openLab(world, { rows });
    t.after(() => lab.stop());
    const farEnd = await startFarEnd({ amiPort: lab.pbx.ports.ami });
    t.after(() => farEnd.stop());
    await Promise.all(
      indexes.map(async (index, n) => {
        const options = { row, index, office: office(8 - n) };
        const { inbound } = await playRow({ ...options, ...lab });
        const uniqueid = inbound[0]?.uniqueid ?? '';
        const received = () => farEnd.receivedOf(uniqueid);
        await farEnd.fakeApi.waitFor(() => received()?.reported.at(-1)?.status === 'completed', 60_000);
        assert.deepEqual(received(), expectedCalls(row, index, options.office)[0], `row ${index + 1}`);
      }),
    );
  });

const ports = { at: (index: number) => index } as PortBlock;
const full: readonly (readonly [what: string, use: () => unknown, says: RegExp])[] = [
  [
    'rows',
    () => didOf(mostRows, 1),
    /^the lab has telephone numbers for 1000 rows: there is none for row 1001$/,
  ],
  ['phones', () => phonePort(ports, office(1), 7), /^an office has 6 phones: there is no phone 7$/],
  [
    'callers',
    () => callerPort(ports, office(1), 4),
    /^a row has ports for 4 callers: there is none for caller 5$/,
  ],
];
for (const [what, use, says] of full)
  test(`one line says that there are no more ${what}`, () => assert.throws(use, { message: says }));

test('labs share the ports that LAB_PORTS names, and one line says that all are taken', async (t) => {
  const range = labPorts('31000-31999');
  const [one, two] = [await claimPorts(range), await claimPorts(range)];
  t.after(() => one.release());
  t.after(() => two.release());
  assert.deepEqual([one.sip, two.sip].sort(), [31_001, 31_501]);
  const message =
    'each of the 2 blocks of 500 ports from 31000 to 31999 is in use: LAB_PORTS can name others';
  await assert.rejects(claimPorts(range), { message });
});

for (const setting of ['', '20000', '20000-20100', '1-2000', '29999-20000', '65000-66000', '20000-2999x'])
  test(`LAB_PORTS=${setting} is refused in one line`, () =>
    assert.throws(() => labPorts(setting), { message: /^LAB_PORTS must be .*, such as 20000-29999, not / }));

test('so is it by the matrix, with exit code 2', { skip }, () => {
  const env = { ...process.env, LAB_PORTS: '20000' };
  const { status, stdout, stderr } = spawnSync(process.execPath, [`${import.meta.dirname}/matrix.ts`], {
    env,
  });
  assert.match(`${stdout}${stderr}`, /^LAB_PORTS must be .*, not 20000\n$/);
  assert.equal(status, 2);
});
