import assert from 'node:assert/strict';
import { channel } from 'node:diagnostics_channel';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { TLSSocket } from 'node:tls';
import { noon, statusWith } from '../status/bridge-status.fixture.ts';
import { bridgeProblems, type Facts, watchApi } from './problems.ts';

const facts: Facts = {
  ...{ stateDir: '/state', failure: undefined, records: undefined, clockAheadMs: 0, backlogMs: 300_000 },
  certificates: { pbx: undefined, api: undefined, own: undefined },
};
const found = (changes: Parameters<typeof statusWith>[0], more: Partial<Facts> = {}) =>
  bridgeProblems(statusWith(changes), { ...facts, ...more }).problems.map(
    ({ code, what }) => `${code}: ${what}`,
  );

test('a disk that is full, fails or hangs', () => {
  const storage = (state: 'full' | 'failing') => ({ outbox: { storage: { state, error: 'EIO' } } });
  assert.match(found(storage('full')).join(), /^outbox\.full: the disk of \/state is full.*EIO$/);
  assert.match(found(storage('failing')).join(), /^outbox\.failing: the disk of \/state fails.*EIO$/);
  const hanging = found({ outbox: { uncommittedSince: noon - 11_000 } });
  assert.deepEqual(hanging, [
    'problem.not-storing: the disk of /state has not stored anything that it was given',
  ]);
  assert.deepEqual(found({ outbox: { uncommittedSince: noon - 9_000 } }), []);
});

test('a backlog counts from the end of an outage', () => {
  const waiting = (since: number) => ({
    outbox: { waiting: 5, oldestWaitingAt: noon - 3_600_000 },
    delivery: { since },
  });
  assert.deepEqual(found(waiting(noon - 60_000)), []);
  assert.match(found(waiting(noon - 301_000)).join(), /^problem\.backlog: events waiting for delivery: 5,/);
});

test('a certificate is announced two weeks before its end', () => {
  const api = (days: number) =>
    found({}, { certificates: { ...facts.certificates, api: noon + days * 86_400_000 } });
  assert.deepEqual(api(15), []);
  assert.deepEqual(api(13), ['problem.certificate: the certificate of the API expires on 2026-12-03']);
});

test('a certificate that says no end, and a connection that is lost again at once, disturb nothing', async (t) => {
  const facts = { certificates: { pbx: Number.NaN, api: Number.NaN, own: Number.NaN } };
  assert.deepEqual(found({}, facts), []);
  const api = watchApi('https://api.example.com/', Date.now);
  api.start();
  t.after(api.stop);
  const socket = new TLSSocket(new Socket());
  socket.destroy();
  channel('undici:client:connected').publish({ connectParams: { hostname: 'api.example.com' }, socket });
  await new Promise((resolve) => setImmediate(resolve));
});
