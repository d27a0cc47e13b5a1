import assert from 'node:assert/strict';
import { channel } from 'node:diagnostics_channel';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { TLSSocket } from 'node:tls';
import { bridgeProblems, watchApi } from './problems.ts';
import { noon, statusWith } from './status/bridge-status.fixture.ts';

const facts = {
  stateDir: '/state',
  failure: undefined,
  records: undefined,
  clockAheadMs: 0,
  backlogMs: 300_000,
  lookedAt: noon - 10_000,
  certificates: { pbx: Number.NaN, api: Number.NaN, own: Number.NaN },
};
const codes = (changes: Parameters<typeof statusWith>[0]) =>
  bridgeProblems(statusWith(changes), facts).problems.map(({ code }) => code);

test('an API of which nothing is accepted is not said to accept some', () => {
  const outbox = { waiting: 3, oldestWaitingAt: noon - 600_000 };
  const delivery = { since: noon - 3_600_000 };
  assert.deepEqual(codes({ outbox, delivery }), ['problem.backlog']);
  const retrying = { since: noon - 60_000, reason: '503', failures: 2 };
  assert.deepEqual(codes({ outbox, delivery: { ...delivery, retrying } }), ['problem.nothing-accepted']);
});

test('a loss of the link between two looks is a problem at the next', () => {
  assert.deepEqual(codes({ pbx: { lostAt: [noon - 4_000] } }), ['ami.lost']);
  assert.deepEqual(codes({ pbx: { lostAt: [noon - 14_000] } }), []);
});

test('a certificate that says no end, and a connection that is lost again at once, disturb nothing', async (t) => {
  assert.deepEqual(bridgeProblems(statusWith(), facts).problems, []);
  const api = watchApi('https://api.example.com/', Date.now);
  api.start();
  t.after(api.stop);
  const socket = new TLSSocket(new Socket());
  socket.destroy();
  channel('undici:client:connected').publish({ connectParams: { hostname: 'api.example.com' }, socket });
  await new Promise((resolve) => setImmediate(resolve));
});
