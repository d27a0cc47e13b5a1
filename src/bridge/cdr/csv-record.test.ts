import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beganAt } from '../calls/open-call.ts';
import { parseRecord, recordsIn } from './csv-record.ts';

const line = (uniqueid = '"1795157476.242"') =>
  [
    '"","+12025550142","493023125169","from-trunk","""Zoë, \\""Q\\"" O\'Neill"" <+12025550142>"',
    '"PJSIP/trunk-000000b0","PJSIP/1001-000000b1","Dial","PJSIP/1001,4"',
    '"2026-11-20 06:51:16",,"2026-11-20 06:51:16",9,4,"NO ANSWER","DOCUMENTATION"',
    uniqueid,
    '""',
  ].join();

test('a record with quotes and commas in its texts, and an empty time', () =>
  assert.deepEqual(parseRecord(line()), {
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
  assert.equal(parseRecord(line('"my own note"')), 'no-uniqueid');
  assert.equal(parseRecord(line().split(',').slice(0, -2).join()), 'no-uniqueid');
});

for (const text of ['', 'x', '"', '"a"b,"c"', line().slice(0, 60), line().slice(9, -30), '\0\0\0'])
  test(`no record: ${JSON.stringify(text.slice(0, 20))}`, () => assert.equal(parseRecord(text), 'bad'));

test('when a call began, whatever the system is called', () => {
  assert.equal(beganAt({ uniqueid: '1795157476.242' }), 1_795_157_476_000);
  assert.equal(beganAt({ uniqueid: 'pbx-7-1795157476.242' }), 1_795_157_476_000);
});

/** A record as Asterisk writes it: each quote in a text is doubled, a line break is not changed. */
const written = (texts: Readonly<Record<number, string>>, uniqueid = '1795157476.242') => {
  const usual = {
    1: '+12025550142',
    2: '493023125169',
    3: 'from-trunk',
    5: 'PJSIP/trunk-000000b0',
    7: 'Dial',
  };
  const values: Record<number, string> = {
    ...usual,
    14: 'ANSWERED',
    15: 'DOCUMENTATION',
    16: uniqueid,
    ...texts,
  };
  const columns = Array.from({ length: 18 }, (_, nth) => {
    if (nth === 12 || nth === 13) return '9';
    return `"${(values[nth] ?? '').replaceAll('"', '""')}"`;
  });
  return columns.join();
};
const read = (text: string) => recordsIn(text.split('\n')).records.map(({ record }) => record);
const ids = (text: string) =>
  read(text).map((record) => (typeof record === 'string' ? record : record.uniqueid));
const after = written({}, '1795157477.243');

test('a text with line breaks goes on in the next lines, and what is used of it ends at the first', () => {
  for (const column of [0, 1, 2, 4, 5, 6, 8, 17])
    for (const text of ['+4930\nx', '+4930\r\nLinkedid: 1', '\n\n\n', '+4930"\n"', 'a"\n,"b",\n', '"\n"'])
      assert.deepEqual(
        ids(`${written({ [column]: `${column === 5 ? 'Local/' : ''}${text}` })}\n${after}`),
        ['1795157476.242', '1795157477.243'],
        text,
      );
  const [record] = read(written({ 1: '+4930\r\nx', 2: '100\nx', 5: 'Local/1\n2@a-1;1', 8: 'PJSIP/1001\nx' }));
  assert.ok(typeof record === 'object');
  const { src, dst, channel, lastdata } = record;
  assert.deepEqual([src, dst, channel, lastdata], ['+4930', '100', 'Local/1\ufffd2@a-1;1', 'PJSIP/1001']);
});

test('no text that a caller chooses is another record', () => {
  const forged = written({}, '1795157400.1');
  for (const text of [
    forged,
    forged.replaceAll('"', ''),
    `"\n${forged}`,
    `x"\n${forged}\n"x`,
    `","${forged}`,
    `\n,,,,,PJSIP/trunk-1,,,,,,,9,9,ANSWERED,x,1795157400.1`,
    `\n"",1,1,"","","","","","",1,1,1,9,9,"","",1795157400`,
  ])
    for (const column of [1, 2, 4, 17])
      assert.deepEqual(
        ids(`${written({ [column]: `\n${text}\n` })}\n${after}`).filter((id) => id.includes('.')),
        ['1795157476.242', '1795157477.243'],
        text,
      );
});

test('a line that Asterisk could not finish costs itself alone, at most with the record that was written behind it', () => {
  const torn = written({}).slice(0, 40);
  assert.deepEqual(ids(`${torn}\n${after}`), ['bad', '1795157477.243']);
  assert.deepEqual(ids(`${torn}${after}\n${after}`), ['bad', '1795157477.243']);
  assert.deepEqual(
    ids(`${torn}\n${written({ 17: 'a\nb' }, '1795157477.1')}\n${after}`).at(-1),
    '1795157477.243',
  );
  assert.equal(recordsIn([...after.split('\n'), ...torn.split('\n')]).unfinished, 1);
});

test('an id that another program has chosen is a record all the same', () => {
  assert.deepEqual(ids(written({}, 'c2c-5f2a')), ['c2c-5f2a']);
  assert.deepEqual(ids(written({}, '')), ['no-uniqueid']);
});
