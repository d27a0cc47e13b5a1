import assert from 'node:assert/strict';
import { test } from 'node:test';
import { columnsToRead, recordOf } from './cdr-table.ts';

const required = ['uniqueid', 'channel', 'dstchannel', 'dcontext', 'disposition'];

test('a table needs five columns and one with the number of the caller', () => {
  for (const caller of ['src', 'cnum', 'clid'])
    assert.deepEqual(columnsToRead([caller, 'userfield', ...required], 'cdr', ''), [...required, caller]);
  for (const name of required) {
    const names = ['src', 'cnum', ...required.filter((it) => it !== name)];
    assert.throws(() => columnsToRead(names, 'cdr', 'Add it.'), {
      message: `cdr has no column ${name}`,
      todo: 'Add it.',
    });
  }
  assert.throws(() => columnsToRead(required, 'cdr', ''), { message: 'cdr has no column src' });
});

const row = { uniqueid: '1800000000.1', channel: 'a', dstchannel: 'b', dcontext: 'c', disposition: 'd' };

test('a row, with each column and without what a table may lack', () => {
  const none = { src: '', dst: '', lastapp: '', lastdata: '', did: '' };
  const noTimes = { start: undefined, duration: undefined };
  assert.deepEqual(recordOf({ ...row, dst: null }), { ...row, ...none, ...noTimes });
  const more = { src: '1', dst: '2', lastapp: 'Dial', lastdata: 'x', did: '3' };
  const times = { calldate: '1970-01-01 00:01:00', duration: 9 };
  assert.deepEqual(recordOf({ ...row, ...more, ...times }), {
    ...row,
    ...more,
    start: 60,
    duration: 9,
  });
  const started = recordOf({ ...row, start: '1970-01-01 00:00:05' });
  assert.equal(typeof started === 'object' && started.start, 5);
  assert.equal(recordOf({ ...row, uniqueid: null }), 'no-uniqueid');
  assert.equal(recordOf({ ...row, uniqueid: 'cust-pbx-1763600000' }, 19), 'cut-uniqueid');
});

test("the number of the caller is FreePBX's or that of the caller id if there is no other", () => {
  const src = (callers: object) => {
    const record = recordOf({ ...row, ...callers });
    return typeof record === 'object' && record.src;
  };
  const clid = '"A <B>" <3>';
  assert.equal(src({ src: '1', cnum: '2', clid }), '1');
  assert.equal(src({ src: '', cnum: '2', clid }), '2');
  assert.equal(src({ src: '', cnum: '', clid }), '3');
  assert.equal(src({ src: '', clid: 'A' }), '');
  // Read again from each of its brackets, it would take minutes.
  assert.equal(src({ src: '', clid: '<'.repeat(400_000) }), '');
});

test('a value with line breaks ends at the first, a channel goes on, and any id is one', () => {
  const broken = { ...row, src: '1\r\nx', dst: '2\nx', did: '3\n\nx', clid: 'x', lastdata: 'PJSIP/1\nx' };
  const record = recordOf({ ...broken, channel: 'Local/1\n2@a-1;1', uniqueid: 'c2c-5f2a' });
  assert.ok(typeof record === 'object');
  const { src, dst, did, lastdata, channel, uniqueid } = record;
  assert.deepEqual([src, dst, did, lastdata, channel], ['1', '2', '3', 'PJSIP/1', 'Local/1\ufffd2@a-1;1']);
  assert.equal(uniqueid, 'c2c-5f2a');
  const clid = recordOf({ ...row, clid: '"x <9>" <4\n<8>' });
  assert.equal(typeof clid === 'object' && clid.src, '4');
});
