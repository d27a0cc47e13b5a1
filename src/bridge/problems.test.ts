import assert from 'node:assert/strict';
import { channel } from 'node:diagnostics_channel';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { TLSSocket } from 'node:tls';
import { bridgeProblems, watchApi } from './problems.ts';
import { statusWith } from './status/bridge-status.fixture.ts';

test('a certificate that says no end, and a connection that is lost again at once, disturb nothing', async (t) => {
  const facts = {
    ...{ stateDir: '/state', failure: undefined, records: undefined, clockAheadMs: 0, backlogMs: 300_000 },
    certificates: { pbx: Number.NaN, api: Number.NaN, own: Number.NaN },
  };
  assert.deepEqual(bridgeProblems(statusWith(), facts).problems, []);
  const api = watchApi('https://api.example.com/', Date.now);
  api.start();
  t.after(api.stop);
  const socket = new TLSSocket(new Socket());
  socket.destroy();
  channel('undici:client:connected').publish({ connectParams: { hostname: 'api.example.com' }, socket });
  await new Promise((resolve) => setImmediate(resolve));
});
