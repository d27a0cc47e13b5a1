import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missedPlaceAt, missedText, placeText, writtenWhere } from './place.ts';

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
  assert.deepEqual(missedPlaceAt({ context: 'ext-fax', exten: '1001' }), { where: 'fax' });
  for (const context of ['app-blacklist-check', 'pbx-bridge-blocked'])
    assert.deepEqual(missedPlaceAt({ context, exten: 's' }), { where: 'blocked' });
});

test('how a call was missed, in words', () => {
  assert.equal(missedText({}), 'missed');
  assert.equal(missedText({ by: 'pbx' }), 'missed');
  assert.equal(missedText({ by: 'pbx', where: 'ringing' }), 'missed: nobody answered at the telephones');
  assert.equal(missedText({ by: 'pbx', where: 'queue', after: 9 }), 'missed: ended after 9 s in a queue');
  assert.equal(missedText({ by: 'caller' }), 'missed: gave up');
  assert.equal(
    missedText({ by: 'caller', where: 'fax', after: 9 }),
    'missed: gave up after 9 s at the fax receiver',
  );
  assert.equal(missedText({ by: 'pbx', where: 'blocked' }), 'missed: ended at the blacklist');
  assert.equal(missedText({ where: 'announcement', name: '3' }), 'missed: ended in announcement 3');
});

test('where in the dialplan it is written what a place does not say', () => {
  const timeConditions = [{ context: 'timeconditions' }];
  assert.deepEqual(writtenWhere({ where: 'announcement', name: '1' }, undefined), timeConditions);
  assert.deepEqual(writtenWhere({ where: 'terminated' }, undefined), timeConditions);
  assert.deepEqual(writtenWhere({ where: 'queue', name: '700' }, undefined), []);
  const ofMailbox = (...before: Parameters<typeof writtenWhere>) =>
    writtenWhere(...before).map(({ context, exten }) =>
      exten === undefined ? context : `${exten}@${context}`,
    );
  const nobodys = { where: 'voicemail' } as const;
  assert.deepEqual(ofMailbox(nobodys, { where: 'ivr', name: '2' }), ['ivr-2']);
  assert.deepEqual(ofMailbox(nobodys, { where: 'announcement', name: '3' }), ['app-announcement-3']);
  assert.deepEqual(ofMailbox(nobodys, { where: 'queue', name: '700' }), ['700@ext-queues']);
  assert.deepEqual(ofMailbox(nobodys, { where: 'ringing', name: '600' }), [
    '600@ext-group',
    '600@ext-findmefollow',
  ]);
  assert.deepEqual(ofMailbox(nobodys, undefined), []);
  assert.deepEqual(ofMailbox({ ...nobodys, name: '101' }, { where: 'queue', name: '700' }), []);
});
