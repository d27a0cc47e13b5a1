import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { test } from 'node:test';
import { createTickAlarm } from './tick-alarm.ts';

test('after a pause of the process, what has arrived in it is read before a tick that was due in it', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const accepted = once(server, 'connection');
  const [pbx, ours] = [connect(port, '127.0.0.1'), (await accepted)[0]] as const;
  t.after(() => pbx.destroy());
  const happened: string[] = [];
  ours.on('data', () => happened.push('event'));
  const ticked = new Promise<void>((resolve) => {
    const alarm = createTickAlarm(() => {
      happened.push('tick');
      resolve();
    });
    t.after(alarm.off);
    alarm.by(Date.now() + 1);
  });
  pbx.write('x');
  for (const end = performance.now() + 20; performance.now() < end; );
  await ticked;
  assert.deepEqual(happened, ['event', 'tick']);
});
