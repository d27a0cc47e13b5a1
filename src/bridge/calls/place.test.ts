import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missedPlaceAt, missedText, placeText } from './place.ts';

const rows: [context: string, exten: string, text: string][] = [
  ['ext-queues', '700', 'queue 700 (extension 700 in context ext-queues)'],
  ['ext-local', 'vmu101', 'voicemail of 101 (extension vmu101 in context ext-local)'],
  ['macro-vm', 's-NOANSWER', 'voicemail (extension s-NOANSWER in context macro-vm)'],
  ['ivr-2', 's', 'IVR 2 (extension s in context ivr-2)'],
  ['app-announcement-1', 's', 'announcement 1 (extension s in context app-announcement-1)'],
  ['ext-group', '600', 'ring group 600 (extension 600 in context ext-group)'],
  ['from-trunk', '4930123', 'extension 4930123 in context from-trunk'],
  ['', '', ''],
];
for (const [context, exten, text] of rows)
  test(`${exten}@${context}: ${text}`, () => assert.equal(placeText(context, exten), text));

test('a place of FreePBX that says where a call ended', () => {
  assert.deepEqual(missedPlaceAt({ context: 'ext-local', exten: 'vmu101' }), {
    where: 'voicemail',
    name: '101',
  });
  assert.deepEqual(missedPlaceAt({ context: 'ext-group', exten: '600' }), { where: 'ringing', name: '600' });
  assert.deepEqual(missedPlaceAt({ context: 'macro-vm', exten: '600' }), { where: 'voicemail' });
  assert.deepEqual(missedPlaceAt({ context: 'park', exten: '600' }), {});
  assert.deepEqual(missedPlaceAt({ context: 'app-blackhole', exten: 'hangup' }), { where: 'terminated' });
});

test('how a call was missed, in words', () => {
  assert.equal(missedText({}), 'missed');
  assert.equal(missedText({ by: 'pbx' }), 'missed');
  assert.equal(missedText({ by: 'pbx', where: 'ringing' }), 'missed: nobody answered at the telephones');
  assert.equal(missedText({ by: 'pbx', where: 'queue', after: 9 }), 'missed: ended after 9 s in a queue');
  assert.equal(missedText({ by: 'caller' }), 'missed: gave up');
  assert.equal(missedText({ where: 'announcement', name: '3' }), 'missed: ended in announcement 3');
});
