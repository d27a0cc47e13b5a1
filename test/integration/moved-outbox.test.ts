import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCommand } from '../tools/program/operator.ts';
import { createStand, markerCall } from '../tools/program/stand.ts';
import { until } from '../tools/until.ts';

test('the outbox is moved away while the bridge runs: it is not ready and says why; back in its place, nothing is lost', async (t) => {
  const stand = await createStand(t, { STATUS_LISTEN: '127.0.0.1:0' });
  await stand.start();
  await stand.caughtUp();
  const url = `http://127.0.0.1:${stand.statusPort()}`;
  const ready = async () => {
    const answer = await fetch(`${url}/readyz`);
    return { status: answer.status, text: await answer.text() };
  };
  assert.equal((await ready()).status, 200);
  const { STATE_DIR = '' } = stand.env;
  const aside = join(STATE_DIR, 'aside');
  mkdirSync(aside);
  const move = (from: string, to: string) => {
    for (const name of readdirSync(from).filter((it) => it.startsWith('outbox.db')))
      renameSync(join(from, name), join(to, name));
  };
  move(STATE_DIR, aside);
  const calls = Array.from({ length: 3 }, markerCall);
  for (const { frames } of calls) for (const frame of frames) stand.pbx.send(frame);
  await until('the bridge is not ready', async () => (await ready()).status === 503, { state: ready });
  assert.match((await ready()).text, /outbox\.db was moved away or deleted while the program runs/);
  const status = await runCommand(['status', '--url', url], stand.env);
  assert.equal(status.code, 2);
  assert.match(status.text.replace(/\s+/g, ' '), /! disk moved: \S+outbox\.db was moved away or deleted/);
  assert.deepEqual(
    readdirSync(STATE_DIR).filter((name) => name.startsWith('outbox.db')),
    [],
    'no new one is made',
  );
  move(aside, STATE_DIR);
  const isThere = ({ id }: (typeof calls)[number]) => stand.fakeApi.calls().get(id)?.received.length === 2;
  await stand.fakeApi.waitFor(() => calls.every(isThere), 30_000);
  await until('the bridge is ready again', async () => (await ready()).status === 200, { state: ready });
});
