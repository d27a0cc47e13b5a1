import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeText } from './place.ts';

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
