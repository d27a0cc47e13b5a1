import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { until } from '../../test/until.ts';
import type { Context } from './command-context.ts';
import { play, simulate } from './simulate-command.ts';

test('a timer that fires early leaves no frame of a call behind', async (t) => {
  const times = [0, 0, 9.99, 1_000, 1_010];
  t.mock.method(performance, 'now', () => times.shift() ?? assert.fail('it does not end'));
  const sent: unknown[] = [];
  const calls = [undefined, { frames: [{ ms: 0, frame: 'a' }] }];
  await play(
    { send: (frame) => void sent.push(frame) },
    { due: () => calls.shift() as never },
    { seconds: 1, stop: new AbortController().signal },
  );
  assert.deepEqual(sent, ['a']);
});

test('a bridge that takes its time between connection and login gets all of the first call', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const said: Record<string, unknown>[] = [];
  const context = { json: true, terminal: { json: (value: never) => void said.push(value) } };
  const options = { rate: '100', seconds: '0.05', seed: '1', talk: '0.01', mix: 'missed=1' };
  const simulated = simulate(context as unknown as Context, options, new AbortController().signal);
  const pass = async () => {
    await turn();
    t.mock.timers.tick(50);
  };
  await until('the line with the port', () => said.length > 0, { everyMs: 0 });

  const { port, username, secret } = said[0] as { port: number; username: string; secret: string };
  const bridge = connect(port, '127.0.0.1').setEncoding('latin1');
  let received = '';
  bridge.on('data', (text) => (received += text));
  await once(bridge, 'data');
  for (let passes = 0; passes < 3; passes += 1) await pass();
  bridge.write(`Action: Login\r\nUsername: ${username}\r\nSecret: ${secret}\r\n\r\n`);
  await until('the end of the calls', () => pass().then(() => said.length > 1), { everyMs: 0 });
  const calls = received.match(/Event: Newchannel\r\n.*\r\nChannel: PJSIP\/trunk/g) ?? [];
  bridge.end();
  let ended = false;
  void simulated.finally(() => (ended = true));
  await until('the end of the simulation', () => pass().then(() => ended), { everyMs: 0 });
  assert.equal(calls.length, said[1]?.calls);
});
