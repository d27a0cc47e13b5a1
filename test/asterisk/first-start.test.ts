import assert from 'node:assert/strict';
import { test } from 'node:test';
import { didOf } from '../tools/lab/dialplan.ts';
import { type FarEnd, startFarEnd } from '../tools/lab/far-end.ts';
import { labImpossible, versions } from '../tools/lab/install.ts';
import { office } from '../tools/lab/offices.ts';
import { customerOf, type Row } from '../tools/lab/row.ts';
import { phone } from '../tools/lab/sip-script.ts';
import { playRow, type Stage } from '../tools/lab/stage.ts';
import { openLab } from './lab.ts';
import { matrix } from './rows/all.ts';

const skip = labImpossible() ?? false;
const first = office(1);
const index = matrix.findIndex(({ name }) => name === 'redirect-while-ringing');
const did = didOf(index, first.number);

/** The bridge starts for the first time while calls are in progress: only the configuration of the PBX says what they are. */
for (const version of versions)
  test(`the first start beside a real Asterisk ${version} in mid-call`, { skip }, async (t) => {
    const lab = await openLab(version);
    t.after(() => lab.stop());
    const reportedIn = async (
      play: (stage: Stage, start: () => Promise<void>) => Promise<void>,
      amiPort = lab.pbx.ports.ami,
    ) => {
      let farEnd: FarEnd | undefined;
      const start = async () => {
        farEnd = await startFarEnd({ amiPort });
      };
      const phones = { 1: phone.rings(), 2: phone.rings() };
      const row = { ...(matrix[index] as Row), phones, play: (stage: Stage) => play(stage, start) };
      const { inbound } = await playRow({ row, index, office: first, ...lab });
      const uniqueids = inbound.map(({ uniqueid }) => uniqueid);
      const isReported = (id: string) => farEnd?.receivedOf(id)?.reported.at(-1)?.status === 'completed';
      return { farEnd: farEnd as unknown as FarEnd, uniqueids, isReported };
    };

    await t.test('a caller who waits in a queue, in a context of the house, is picked up', async (t) => {
      const {
        farEnd,
        uniqueids: [customer = ''],
        isReported,
      } = await reportedIn(async (stage, start) => {
        const call = await stage.customerCalls();
        await stage.rings(1);
        await stage.redirects(call, `${first.number}081`);
        await stage.reaches(call, 'Queue');
        await start();
        call.hangsUp();
      });
      t.after(() => farEnd.stop());
      await farEnd.fakeApi.waitFor(() => isReported(customer), 30_000);
      const reported = [{ status: 'ringing' }, { status: 'completed' }];
      assert.deepEqual(farEnd.receivedOf(customer), { from: customerOf(index, first), reported });
    });

    await t.test('a phone that calls its own company, in the context of the trunk, is not', async (t) => {
      let customer = '';
      const { farEnd, isReported } = await reportedIn(async (stage, start) => {
        const call = await stage.phoneDials(3, did);
        await stage.rings(1);
        await start();
        call.hangsUp();
        const later = await stage.customerCalls();
        customer = later.channel.uniqueid;
        later.hangsUp();
      });
      t.after(() => farEnd.stop());
      await farEnd.fakeApi.waitFor(() => isReported(customer), 30_000);
      assert.deepEqual(farEnd.uniqueids(), [customer]);
    });
  });
