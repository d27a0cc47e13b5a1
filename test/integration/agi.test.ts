import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { askAgi, callFrom } from '../../src/bridge/agi/agi-client.fixture.ts';
import { amiEvent } from '../tools/fakes/ami-event.ts';
import type { FakeApi } from '../tools/fakes/fake-api.ts';
import { callsOf, createStand, markerCall, vip } from '../tools/program/stand.ts';

/** A deadline that a loaded machine does not miss by itself: what is tested is what waits for what. */
const settings = { AGI_LISTEN: '127.0.0.1:0', AGI_DEADLINE_MS: '5000', AGI_SET_QUEUE_PRIO: 'yes' };
const found = { CALLER_PRIORITY: '10', CALLER_PRIORITY_STATUS: 'FOUND', QUEUE_PRIO: '10' };
const lookups = (fakeApi: FakeApi) => fakeApi.requests().filter(({ path }) => path === '/voice/priority');

async function standFor(t: TestContext) {
  const stand = await createStand(t, settings);
  await stand.start();
  const ask = async () => (await askAgi(stand.agiPort(), { lines: callFrom(vip) })).variables;
  return { stand, ask };
}

/** Of a channel that the bridge does not know. */
const floodFrame = [
  'Event: Newstate',
  'Channel: PJSIP/1001-00000009',
  'ChannelState: 6',
  'CallerIDNum: 1001',
  'Context: from-internal',
  'Exten: s',
  'Uniqueid: 1763600000.9',
  'Linkedid: 1763600000.9',
  '\r\n',
].join('\r\n');

const newchannel = (number: string) =>
  amiEvent('Newchannel', {
    Channel: 'PJSIP/trunk-00000001',
    CallerIDNum: number,
    Uniqueid: '1763600000.1',
    Linkedid: '1763600000.1',
  });

test('the API is asked when the call begins, and the dialplan meets the answer', async (t) => {
  const { stand, ask } = await standFor(t);
  stand.pbx.send(newchannel(vip));
  await stand.fakeApi.waitFor((it) => lookups(it).length === 1);
  assert.equal(lookups(stand.fakeApi)[0]?.payload.number, vip);
  assert.deepEqual(await ask(), found);
  assert.equal(lookups(stand.fakeApi).length, 1);
});

test('a lookup does not wait behind call events that the API leaves hanging', async (t) => {
  const { stand, ask } = await standFor(t);
  stand.fakeApi.inject(({ path }) => (path === '/voice/call' ? { kind: 'hang' } : undefined));
  // More than are sent at once.
  for (let i = 0; i < 200; i += 1) for (const frame of markerCall().frames) stand.pbx.send(frame);
  await stand.caughtUp();
  await stand.fakeApi.waitFor((it) => it.requests().some(({ path }) => path === '/voice/call'));
  assert.deepEqual(await ask(), found);
  // Or the stop would wait for what hangs.
  await stand.fakeApi.close();
});

test('call events do not wait behind lookups that the API leaves hanging', async (t) => {
  const { stand } = await standFor(t);
  stand.fakeApi.inject(({ path }) => (path === '/voice/priority' ? { kind: 'hang' } : undefined));
  const markers = Array.from({ length: 100 }, markerCall);
  for (const { frames } of markers) stand.pbx.send(frames[0] ?? '');
  await stand.fakeApi.waitFor((it) => markers.every(({ id }) => it.calls().has(id)));
  await stand.fakeApi.waitFor((it) => lookups(it).length >= 1);
});

test('a lookup does not wait behind events of the PBX that have arrived before it', async (t) => {
  const { stand, ask } = await standFor(t);
  const { frames } = markerCall();
  const flood = Array.from({ length: 40_000 }, () => floodFrame).join('');
  stand.pbx.sendRaw(flood);
  for (const frame of frames) stand.pbx.send(frame);
  assert.deepEqual(await ask(), found);
  // Each turn of the event loop takes a part of them, and the lookup, and asking for the count, needs some turns.
  const read = (await stand.bytesIn()) / flood.length;
  assert.ok(read < 0.9, `${Math.round(read * 100)} % of the events had been read`);
  await stand.caughtUp();
});

test('a lookup does not wait for a disk that takes nothing', async (t) => {
  const { stand, ask } = await standFor(t);
  // The bridge may be writing.
  const disk = new DatabaseSync(`${stand.env.STATE_DIR}/outbox.db`, { timeout: 60_000 });
  t.after(() => disk.close());
  disk.exec('BEGIN IMMEDIATE');
  stand.pbx.send(newchannel(vip));
  await stand.fakeApi.waitFor((it) => lookups(it).length === 1);
  assert.deepEqual(await ask(), found);
  assert.equal(callsOf(stand.fakeApi).length, 0, 'the call is not on disk yet');
  disk.exec('ROLLBACK');
  await stand.fakeApi.waitFor((it) => callsOf(it).length === 1);
});

test('a lookup does not wait for a disk that does not give what is on it when the bridge starts', async (t) => {
  const { stand, ask } = await standFor(t);
  await stand.stop();
  const disk = new DatabaseSync(`${stand.env.STATE_DIR}/outbox.db`);
  t.after(() => disk.isOpen && disk.close());
  disk.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  const started = stand.start();
  await stand.answersLookups();
  assert.deepEqual(await ask(), found);
  assert.equal(await Promise.race([started, 'not yet']), 'not yet');
  disk.close();
  await started;
});
