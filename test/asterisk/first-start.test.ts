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
const indexOf = (row: string) => matrix.findIndex(({ name }) => name === row);
const index = indexOf('redirect-while-ringing');
const did = didOf(index, first.number);

/** Starts the bridge; resolves when it has logged a line with this code: what a call is, only the answers of the PBX say. */
type Start = (code?: string) => Promise<void>;

/** The bridge starts for the first time while calls are in progress: only the configuration of the PBX says what they are. */
for (const version of versions)
  test(`the first start beside a real Asterisk ${version} in mid-call`, { skip }, async (t) => {
    const lab = await openLab(version);
    t.after(() => lab.stop());
    const reportedIn = async (
      play: (stage: Stage, start: Start) => Promise<void>,
      { index: at = index, ...more }: Partial<Row> & { readonly index?: number } = {},
    ) => {
      let farEnd: FarEnd | undefined;
      const start: Start = async (code = 'call.picked-up') => {
        farEnd = await startFarEnd({ amiPort: lab.pbx.ports.ami });
        await farEnd.logged(code);
      };
      const phones = { 1: phone.rings(), 2: phone.rings() };
      const row = { ...(matrix[at] as Row), phones, ...more, play: (stage: Stage) => play(stage, start) };
      const { inbound } = await playRow({ row, index: at, office: first, ...lab });
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

    await t.test('a caller whom a transfer has joined with an older call is picked up', async (t) => {
      const {
        farEnd,
        uniqueids: [customer = ''],
        isReported,
      } = await reportedIn(
        async (stage, start) => {
          const older = await stage.phoneDials(1, first.extension(2));
          await stage.talk(older, 2);
          const call = await stage.customerCalls();
          await stage.talk(call, 1);
          await stage.refers(1, older);
          await stage.talk(call, 2);
          await start();
          call.hangsUp();
        },
        { phones: { 1: phone.answers(), 2: phone.answers() } },
      );
      t.after(() => farEnd.stop());
      await farEnd.fakeApi.waitFor(() => isReported(customer), 30_000);
      const from = customerOf(index, first);
      const answered = { status: 'answered', caller_id: first.extension(2) };
      const reported = [{ status: 'ringing' }, answered, { status: 'completed' }];
      assert.deepEqual(farEnd.receivedOf(customer), { from, reported });
    });

    await t.test('nobody whom an extension has called and handed on is', async (t) => {
      let customer = '';
      const { farEnd, isReported } = await reportedIn(
        async (stage, start) => {
          const call = await stage.phoneDials(1, stage.mobile);
          await stage.talk(call, 'mobile');
          await stage.refers(call, first.extension(2));
          await stage.talk('mobile', 2);
          await start('ami.connected');
          await stage.hangsUp('mobile');
          const later = await stage.customerCalls();
          customer = later.channel.uniqueid;
          later.hangsUp();
        },
        { phones: { 1: phone.rings(), 2: phone.answers() }, mobile: phone.answers() },
      );
      t.after(() => farEnd.stop());
      await farEnd.fakeApi.waitFor(() => isReported(customer), 30_000);
      assert.deepEqual(farEnd.uniqueids(), [customer]);
    });

    await t.test('phones that were paged have not answered', async (t) => {
      const {
        farEnd,
        uniqueids: [customer = ''],
        isReported,
      } = await reportedIn(
        async (stage, start) => {
          const call = await stage.customerCalls();
          await stage.talk(call, 1);
          await stage.talk(call, 2);
          await start();
          call.hangsUp();
        },
        { index: indexOf('page'), phones: { 1: phone.answers(), 2: phone.answers() } },
      );
      t.after(() => farEnd.stop());
      await farEnd.fakeApi.waitFor(() => isReported(customer), 30_000);
      const reported = [{ status: 'ringing' }, { status: 'completed' }];
      assert.deepEqual(farEnd.receivedOf(customer), { from: customerOf(indexOf('page'), first), reported });
    });

    await t.test('a phone that calls its own company, in the context of the trunk, is not', async (t) => {
      let customer = '';
      const { farEnd, isReported } = await reportedIn(async (stage, start) => {
        const call = await stage.phoneDials(3, did);
        await stage.rings(1);
        await start('ami.connected');
        call.hangsUp();
        const later = await stage.customerCalls();
        customer = later.channel.uniqueid;
        later.hangsUp();
      });
      t.after(() => farEnd.stop());
      await farEnd.fakeApi.waitFor(() => isReported(customer), 30_000);
      assert.deepEqual(farEnd.uniqueids(), [customer]);
    });

    // Asterisk 21 left chan_sip out. Last, since it changes sip.conf.
    if (version !== '16') return;
    await t.test('a guest of chan_sip in a conference has not answered', async (t) => {
      const index = indexOf('conference-invited');
      await lab.driver.action('UpdateConfig', {
        SrcFilename: 'sip.conf',
        DstFilename: 'sip.conf',
        Reload: 'chan_sip',
        'Action-000000': 'Update',
        'Cat-000000': 'general',
        'Var-000000': 'context',
        'Value-000000': 'guests',
      });
      await lab.driver.action('DialplanExtensionAdd', {
        Context: 'guests',
        Extension: didOf(index, first.number),
        Priority: '1',
        Application: 'ConfBridge',
        ApplicationData: `office-${first.number}`,
      });
      const {
        farEnd,
        uniqueids: [customer = ''],
        isReported,
      } = await reportedIn(
        async (stage, start) => {
          const call = await stage.customerCalls();
          await stage.isUp(call);
          const guest = await stage.customerCalls({ chanSip: true });
          await stage.talk(call, guest);
          await start();
          guest.hangsUp();
          call.hangsUp();
        },
        { index },
      );
      t.after(() => farEnd.stop());
      await farEnd.fakeApi.waitFor(() => isReported(customer), 30_000);
      const reported = [{ status: 'ringing' }, { status: 'completed' }];
      assert.deepEqual(farEnd.receivedOf(customer), { from: customerOf(index, first), reported });
    });
  });
