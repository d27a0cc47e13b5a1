import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { opened } from '../../src/bridge/outbox/outbox.fixture.ts';
import { scenario } from '../recordings/library.ts';
import { amiEvent } from '../tools/fakes/ami-event.ts';
import { type RunOptions, runCommand } from '../tools/program/operator.ts';
import { temporaryFolder } from '../tools/program/program.ts';
import { createStand, type Stand } from '../tools/program/stand.ts';

/** What comes before where else the call is found. */
const conclusionIn = (text: string) => text.split('\n\nThe same call elsewhere:\n')[0] ?? '';

async function standing(t: TestContext, settings: Readonly<Record<string, string>> = {}) {
  const stand = await createStand(t, settings);
  await stand.start();
  const explain = (what: string, ...args: string[]) => explainWith({}, what, ...args);
  const explainWith = async (options: RunOptions, what: string, ...args: string[]) => {
    const ran = await runCommand(['explain', what, ...args], stand.env, options);
    return {
      ...ran,
      flat: ran.text.replace(/\n +(?=\S)/g, ' '),
      last: conclusionIn(ran.text).trim().split('\n\n').at(-1) ?? '',
    };
  };
  return { stand, explain, explainWith };
}

async function play(stand: Stand, name: string) {
  const { recording, calls } = scenario(name);
  // Frame by frame, so that the lines have an order in time, however slow the machine is.
  const playback = stand.pbx.load(recording, { rename: false });
  while (playback.step()) await stand.caughtUp();
  return calls;
}

const frame = (event: string, Uniqueid: string, values: Record<string, string>, Linkedid = Uniqueid) =>
  amiEvent(event, {
    Channel: 'PJSIP/trunk-00000001',
    CallerIDNum: '03012345678',
    Exten: '4930901820',
    Uniqueid,
    Linkedid,
    ...values,
  });

test('an answered call: seen, decided and delivered in order, found in the API history, numbers masked', async (t) => {
  const { stand, explain, explainWith } = await standing(t);
  const [call] = await play(stand, 'asterisk-22/ring-group-one-answers');
  const uniqueid = call?.uniqueid ?? '';
  await stand.fakeApi.waitFor((it) => it.calls().get(`pbx-${uniqueid}`)?.state === 'completed');
  await stand.stop();
  const ran = await explain(uniqueid);
  assert.equal(ran.code, 0, ran.text);
  const order = [
    /seen +channel PJSIP\/trunk-\S+ in context from-trunk, .*: inbound, since its context from-trunk matches INBOUND_/,
    /decided +reported: ringing, from \+49/,
    /decided +reported: answered by \d{4}: PJSIP\/\d{4}-\S+ is in a bridge with the caller/,
    /seen +the caller's channel PJSIP\/trunk-\S+ hung up, cause 16/,
    /decided +reported: completed, was answered by \d{4}/,
    /delivered completed delivered: HTTP 200 in \d+ ms/,
    /API history: ringing at .*, answered at .*, completed at /,
    /^REPORTED: ringing, answered, completed; the API confirmed each, and its request history contains them$/m,
    new RegExp(`The same call elsewhere: log of the bridge: search for pbx-${uniqueid} log of the API: `),
  ];
  let from = 0;
  for (const pattern of order) {
    const at = ran.flat.slice(from).search(pattern);
    assert.ok(at >= 0, `${pattern} is not there, or too early, in\n${ran.flat}`);
    from += at;
  }
  assert.match(ran.flat, /seen +channel PJSIP\/\d+-\S+ in .*: a leg that was dialled for the call/);
  assert.match(ran.flat, /seen +PJSIP\/\S+ hung up, cause 26 \(answered elsewhere\)/);
  assert.doesNotMatch(ran.text, /\+?49\d{8}/);
  for (const columns of [80, 40]) {
    // A command, or an address, is left to the terminal.
    const text = conclusionIn((await explainWith({ columns }, uniqueid)).text);
    const widths = text.split('\n').map((line) => line.replace(/\x1b\[\d+m/g, '').length);
    assert.ok(Math.max(...widths) <= columns, text);
  }
  const byId = await explain(`pbx-${uniqueid}`, '--json', '--show-numbers');
  assert.match(
    byId.text,
    new RegExp(
      `"text": "reported: ringing, from \\${call?.from}: the trunk presented \\${call?.from} \\(an international number\\)"`,
    ),
  );
  const { elsewhere } = JSON.parse(byId.text) as { elsewhere: unknown[] };
  assert.deepEqual(elsewhere[0], { place: 'log of the bridge', look: `search for pbx-${uniqueid}` });
  const byNumber = await explain(call?.from ?? '');
  assert.equal(byNumber.text, ran.text);
});

test('an unmatched context, an outgoing leg, a leg of a call, and an unknown id', async (t) => {
  const { stand, explain } = await standing(t);
  const lasts = async (what: string) => (await explain(what)).last.replace(/\n +/g, ' ');
  const created = (id: string, Context: string, linkedid = id) =>
    stand.pbx.send(frame('Newchannel', id, { ChannelState: '0', Context }, linkedid));
  created('1763600000.1', 'from-provider');
  created('1763600000.2', 'from-trunk');
  stand.pbx.send(frame('Newstate', '1763600000.2', { ChannelState: '6' }));
  stand.pbx.send(frame('Hangup', '1763600000.2', {}));
  created('1763600000.3', 'from-internal', '1763600000.1');
  await stand.caughtUp();
  assert.equal(
    await lasts('1763600000.1'),
    'NOT REPORTED: not inbound: context from-provider matches no INBOUND_CONTEXTS, and INBOUND_CHANNELS is not set',
  );
  assert.match(
    await lasts('1763600000.2'),
    /^NOT REPORTED: .*never rang at us: it was dialled out over the trunk$/,
  );
  assert.match(
    await lasts('1763600000.3'),
    /^NOT REPORTED: this is .*dialled for the call 1763600000\.1; explain that call/,
  );
  assert.match(await lasts('030 12345678'), /^NOT REPORTED: .*|Others: /);
  const none = await explain('1763600000.9');
  assert.equal(none.code, 3);
  assert.match(none.error, /^no record of 1763600000\.9: .*last 7 days \(JOURNAL_KEEP\)/);
});

test('a call of a time without a connection, not reported from its record: found by its number, with the reason', async (t) => {
  const records = `${temporaryFolder(t)}/Master.csv`;
  writeFileSync(records, '');
  const { explain } = await standing(t, { CDR_SOURCE: `csv:${records}` });
  const uniqueid = `${Math.ceil(Date.now() / 1_000)}.1`;
  const start = '2026-11-20 06:00:00';
  const ids = ['', '03012345678', '4930901820', 'from-provider', '', 'PJSIP/provider-00000001', ''];
  const ends = ['Dial', '', start, '', start, '9', '9', 'NO ANSWER', 'DOCUMENTATION', uniqueid];
  appendFileSync(records, `${[...ids, ...ends].map((text) => `"${text}"`).join()}\n`);
  let ran = await explain('030 12345678');
  while (ran.code === 3) {
    await setTimeout(100);
    ran = await explain('030 12345678');
  }
  assert.match(ran.flat, /NOT REPORTED: its record is not of an inbound call/);
  assert.equal((await explain(uniqueid)).text, ran.text);
});

test('the journal of a database of 1.0.0, which has sentences, is shown as it was', async (t) => {
  const folder = temporaryFolder(t);
  const released = new URL('../released/1.0.0/outbox.db.gz', import.meta.url);
  writeFileSync(`${folder}/outbox.db`, gunzipSync(readFileSync(released)));
  await opened(t, { directory: folder });
  const explain = async (id: string) =>
    (await runCommand(['explain', id, '--offline'], { STATE_DIR: folder, PBX_ID: 'pbx' })).text.replace(
      /\n +(?=\S)/g,
      ' ',
    );
  const missed = await explain('1795811871.1');
  assert.match(
    missed,
    /seen +channel PJSIP\/provider-00000001 in .*: inbound, since its context from-trunk matches/,
  );
  assert.match(missed, /decided +reported: completed, missed: ended after 0 s/);
  assert.match(
    await explain('1795811871.3'),
    /^NOT REPORTED: not inbound: context from-internal matches no INBOUND_CONTEXTS, and INBOUND_CHANNELS is not set$/m,
  );
});
