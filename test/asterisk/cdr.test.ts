import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCdr, wasAnswered } from './cdr.ts';

type Line = { channel?: string; dstchannel?: string; disposition?: string; uniqueid?: string };
const line = (fields: Line) =>
  `"","+494066969100","493023125100","from-trunk","""A, ""B"""" <+494066969100>","${fields.channel ?? 'PJSIP/trunk-00000000'}","${fields.dstchannel ?? ''}","Dial","PJSIP/1001,4","2026-11-20 06:17:30",,"2026-11-20 06:17:32",2,1,"${fields.disposition ?? 'ANSWERED'}","DOCUMENTATION","${fields.uniqueid ?? '1.0'}",""`;

test('a line of Master.csv is read by its columns, with quotes, commas and empty values in it', () => {
  const text = line({ dstchannel: 'PJSIP/1001-00000001' });
  assert.deepEqual(parseCdr(`${text}\n`), [
    {
      dst: '493023125100',
      dcontext: 'from-trunk',
      channel: 'PJSIP/trunk-00000000',
      dstchannel: 'PJSIP/1001-00000001',
      disposition: 'ANSWERED',
      uniqueid: '1.0',
      line: text,
    },
  ]);
});

const cases: readonly { name: string; records: Parameters<typeof line>[0][]; answered: boolean }[] = [
  { name: 'answered by a phone', records: [{ dstchannel: 'PJSIP/1001-00000001' }], answered: true },
  { name: 'an announcement: answered, but nobody there', records: [{}], answered: false },
  {
    name: 'nobody at the first phone, somebody at the second',
    records: [
      { dstchannel: 'PJSIP/1001-00000001', disposition: 'NO ANSWER' },
      { dstchannel: 'PJSIP/1002-00000002' },
    ],
    answered: true,
  },
  {
    name: "another channel's record",
    records: [{ dstchannel: 'PJSIP/1001-00000001', uniqueid: '1.2' }],
    answered: false,
  },
  {
    name: 'another caller in the same conference',
    records: [{ dstchannel: 'PJSIP/trunk-00000001' }, { channel: 'PJSIP/trunk-00000001', uniqueid: '1.1' }],
    answered: false,
  },
  {
    name: 'a phone that was moved into a conference with the caller',
    records: [{ dstchannel: 'PJSIP/1001-00000001' }, { channel: 'PJSIP/1001-00000001', uniqueid: '1.1' }],
    answered: true,
  },
];

for (const { name, records, answered } of cases) {
  test(`Asterisk's record says answered or not: ${name}`, () => {
    const book = parseCdr(records.map((record) => `${line(record)}\n`).join(''));
    assert.equal(wasAnswered(book, '1.0'), answered);
  });
}
