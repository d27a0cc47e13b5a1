import assert from 'node:assert/strict';
import { test } from 'node:test';
import { historyEntry } from './history-page.ts';

const call = { callId: 'pbx-1.1', status: 'ringing' };
const sent = { id: 'pbx-1.1', status: 'ringing' };

const rows: readonly (readonly [string, unknown, ReturnType<typeof historyEntry>])[] = [
  [
    'all fields',
    { request: sent, created_at: '2026-01-02T03:04:05.006Z', status: 200, duration: 1.5 },
    { ...call, at: Date.UTC(2026, 0, 2, 3, 4, 5, 6), httpStatus: 200, durationMs: 1.5 },
  ],
  ['the request as JSON', { request: JSON.stringify(sent) }, call],
  ['the request as a query string', { request: 'id=pbx-1.1&status=ringing' }, call],
  ['another name for the request', { payload: sent }, call],
  [
    'a time that is none, and a status that is a text',
    { request: sent, created_at: 'soon', status: '200' },
    call,
  ],
  ['a time that is a number', { request: sent, created_at: 5 }, call],
  ['no status of the call', { request: { id: 'pbx-1.1' } }, { ...call, status: '?' }],
  ['a request about no call', { request: { number: '110' } }, undefined],
  ['no entry', null, undefined],
];

for (const [name, entry, expected] of rows)
  test(`an entry of the API's history: ${name}`, () => assert.deepEqual(historyEntry(entry), expected));
