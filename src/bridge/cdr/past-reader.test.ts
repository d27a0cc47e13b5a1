import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callSettings } from '../calls/rules.fixture.ts';
import { createRules } from '../calls/rules.ts';
import { type CdrRecord, type RecordSource, usualRecords } from './cdr-source.ts';
import { createPastReader } from './past-reader.ts';

/** A missed call of before, on the trunk. */
const call = (nth: number, more: Partial<CdrRecord> = {}): CdrRecord => ({
  src: '0406696123',
  dst: '1',
  dcontext: 'from-trunk',
  channel: `PJSIP/trunk-0000000${nth}`,
  dstchannel: '',
  lastapp: 'Dial',
  lastdata: '',
  disposition: 'NO ANSWER',
  uniqueid: `1750000000.${nth}`,
  did: '',
  ...more,
});

/** What is read of these records: how many calls, and why others are left out. */
async function read(records: readonly CdrRecord[], systemname = '') {
  const entries = records.map((record, from) => ({ record, from }));
  const source: Pick<RecordSource<unknown>, 'read'> = {
    read: async () => ({ entries, next: entries.length, atEnd: true, restarted: false }),
  };
  const period = { since: 1_749_000_000_000, until: 1_751_000_000_000 };
  const live = {
    rules: () => createRules(callSettings),
    trunks: () => new Set(['PJSIP/trunk']),
    isPhone: (endpoint: string) => endpoint === 'PJSIP/anna',
    presumesWithheld: () => false,
    recordOptions: () => ({ ...usualRecords, systemname }),
  };
  const reader = createPastReader(source as RecordSource<unknown>, period, 0, {
    live,
    ledgerEntries: async () => new Map(),
  });
  const { calls, leftOut } = await reader.read();
  return { calls: calls.length, leftOut };
}

test('calls of an endpoint that was a trunk once are named, and no calls of phones', async () => {
  const old = { channel: 'SIP/sipgate-000000aa', dcontext: 'main-menu' };
  const { calls, leftOut } = await read([
    call(1),
    call(2, old),
    call(3, { ...old, dstchannel: 'SIP/1001-000000bb', disposition: 'ANSWERED' }),
    call(4, { channel: 'SIP/1001-000000cc', src: '1001', dcontext: 'from-internal' }),
    call(5, { channel: 'SIP/1002-000000cc', dcontext: 'from-internal' }),
    call(6, { channel: 'PJSIP/anna-000000cc', dcontext: 'from-internal' }),
    call(7, { ...old, lastapp: 'AppDial', lastdata: '(Outgoing Line)' }),
    call(8, { ...old, uniqueid: '1700000000.8' }),
  ]);
  const why =
    'a call of SIP/sipgate, which is no known trunk; if it was one: pbx-bridge trunks add SIP/sipgate';
  assert.deepEqual({ calls, leftOut }, { calls: 1, leftOut: [why, why] });
});

test('endpoints without end, as strangers can name those of guests, are not all named', async () => {
  const guests = Array.from({ length: 70 }, (_, n) =>
    call(n, { channel: `SIP/guest${n}-000000aa`, dcontext: 'main-menu' }),
  );
  const { leftOut } = await read(guests);
  assert.deepEqual([leftOut.length, new Set(leftOut).size], [70, 51]);
});

test('records without the systemname are counted', async () => {
  const { calls, leftOut } = await read(
    [call(1), call(2, { uniqueid: 'berlin-1750000000.2' }), call(3, { uniqueid: '1700000000.3' })],
    'berlin',
  );
  const why = 'a record without the systemname berlin: of another PBX, or of before that name was set';
  assert.deepEqual({ calls, leftOut }, { calls: 1, leftOut: [why] });
});
