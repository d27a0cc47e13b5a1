import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openReader } from '../../src/bridge/outbox/reader.ts';
import { runCommand } from '../tools/program/operator.ts';
import { createStand, markerCall, type Stand } from '../tools/program/stand.ts';
import { until } from '../tools/until.ts';

test('events that were confirmed and lost are found, and sent again with --resend', async (t) => {
  const stand = await createStand(t);
  await stand.start();
  const verify = (...args: string[]) => runCommand(['verify', ...args], stand.env);
  const none = await verify();
  assert.equal(none.code, 3);

  const [good, bad] = [markerCall(), markerCall()];
  stand.fakeApi.inject(({ payload }) => (payload.id === bad.id ? { kind: 'discard' } : undefined));
  for (const { frames } of [good, bad]) for (const frame of frames) stand.pbx.send(frame);
  await delivered(stand, 4);

  const found = await verify();
  assert.equal(found.code, 2);
  assert.match(
    found.text,
    new RegExp(`^missing {2}ringing of ${bad.id}, .*\nmissing {2}completed of ${bad.id}, `),
  );
  assert.match(
    found.text,
    /2 of 4 events are missing in the request history of the API\. To send them again,\s+add --resend\.\n$/,
  );

  stand.fakeApi.inject(() => undefined);
  const again = JSON.parse((await verify('--resend', '--json')).text) as { compared: number; again: number };
  assert.deepEqual([again.compared, again.again], [4, 2]);
  await stand.fakeApi.waitFor((it) => it.calls().get(bad.id)?.state === 'completed');
  assert.deepEqual(stand.fakeApi.calls().get(bad.id)?.received, ['ringing', 'completed']);
  await delivered(stand, 4);
  const last = await verify();
  assert.equal(last.code, 0);
  assert.match(last.text, /^4 events compared; the API has all of them\n$/);
});

test('an unreadable history is reported, and nothing is sent again', async (t) => {
  const stand = await createStand(t);
  await stand.start();
  await stand.caughtUp();
  await delivered(stand, 2);
  const ran = await runCommand(['verify', '--resend'], { ...stand.env, API_TOKEN: 'another' });
  assert.equal(ran.code, 1);
  assert.equal(ran.error, 'the request history of the API is not readable: HTTP 401\n');
});

/** Resolves when `count` events are stored as delivered. */
async function delivered({ env }: Stand, count: number): Promise<void> {
  const reader = openReader(env.STATE_DIR ?? '');
  const counters = () => reader?.counters();
  await until(`${count} delivered events`, () => counters()?.delivered === count, { state: counters });
  reader?.close();
}
