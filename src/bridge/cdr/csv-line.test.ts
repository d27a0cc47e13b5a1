import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beganAt } from '../calls/open-call.ts';
import { parseLine } from './csv-source.ts';

const line = (uniqueid = '"1795157476.242"') =>
  [
    '"","+12025550142","493023125169","from-trunk","""Zoë, \\""Q\\"" O\'Neill"" <+12025550142>"',
    '"PJSIP/trunk-000000b0","PJSIP/1001-000000b1","Dial","PJSIP/1001,4"',
    '"2026-11-20 06:51:16",,"2026-11-20 06:51:16",9,4,"NO ANSWER","DOCUMENTATION"',
    uniqueid,
    '""',
  ].join();

test('a record with quotes and commas in its texts, and an empty time', () =>
  assert.deepEqual(parseLine(line()), {
    src: '+12025550142',
    dst: '493023125169',
    dcontext: 'from-trunk',
    channel: 'PJSIP/trunk-000000b0',
    dstchannel: 'PJSIP/1001-000000b1',
    lastapp: 'Dial',
    lastdata: 'PJSIP/1001,4',
    disposition: 'NO ANSWER',
    uniqueid: '1795157476.242',
    did: '',
    start: 1_795_157_476,
    duration: 9,
  }));

test('a record without its call: loguniqueid is off, with and without loguserfield', () => {
  assert.equal(parseLine(line('"my own note"')), 'no-uniqueid');
  assert.equal(parseLine(line().split(',').slice(0, -2).join()), 'no-uniqueid');
});

for (const text of ['', 'x', '"', '"a"b,"c"', line().slice(0, 60), line().slice(9, -30), '\0\0\0'])
  test(`no record: ${JSON.stringify(text.slice(0, 20))}`, () => assert.equal(parseLine(text), 'bad'));

test('when a call began, whatever the system is called', () => {
  assert.equal(beganAt({ uniqueid: '1795157476.242' }), 1_795_157_476_000);
  assert.equal(beganAt({ uniqueid: 'pbx-7-1795157476.242' }), 1_795_157_476_000);
});
