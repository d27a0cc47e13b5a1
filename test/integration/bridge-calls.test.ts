import assert from 'node:assert/strict';
import { test } from 'node:test';
import { simulateCall } from '../tools/player/simulated-calls.ts';
import { createStand } from '../tools/program/stand.ts';
import { serve } from '../tools/service/harness.ts';
import { browse } from '../tools/service/people.ts';
import { screenEvents } from '../tools/service/stream.ts';
import { until } from '../tools/until.ts';

test('with API_EXTRAS screens see who rings while it rings, and who has the caller after a transfer; the page of the call says it all', async (t) => {
  const served = await serve(t);
  const boss = await browse(served, 'Boss');
  await boss.send('/extensions', { extension: '101', name: 'Anna', user: '' });
  const stand = await createStand(t, {
    API_BASE_URL: `${served.url}/api/v1`,
    API_TOKEN: served.a.token,
    API_EXTRAS: 'yes',
  });
  await stand.start();

  const shown: string[] = [];
  const frames = screenEvents(served.url, { cookie: boss.cookie });
  t.after(() => frames.return(undefined));
  await frames.next();
  void (async () => {
    const names = (people: readonly { name: string }[] = []) => people.map(({ name }) => name).join();
    for await (const event of frames)
      for (const call of event.event === 'who' ? event.calls : event.event === 'call' ? [event.call] : [])
        shown.push(`${names(call.rings)} | ${names(call.talks)}`);
  })();
  const shows = (what: string) =>
    until(`the screens to show ${what}`, () => shown.at(-1) === what, { state: () => shown });

  // The first phone rings, is answered and hands the caller on to the second.
  const chance = [0].values();
  const second = Math.floor(Date.now() / 1_000);
  const random = () => chance.next().value ?? 0.5;
  const extensions = ['101', '102'];
  const call = simulateCall('transfer', { second, index: 1, random, talkMs: 1_000, extensions });
  const left = call.frames.map(({ frame }) => frame);
  const sendUntil = (isNext: (frame: string) => boolean) => {
    const end = left.findIndex(isNext);
    for (const frame of left.splice(0, end < 0 ? left.length : end)) stand.pbx.send(frame);
  };
  const isUp = (frame: string) => /^Event: Newstate\r\n(?:.*\r\n)*?ChannelState: 6\r\n/.test(frame);
  sendUntil(isUp);
  await shows('Anna | ');
  stand.pbx.send(left.shift() as string);
  sendUntil((frame) => frame.startsWith('Event: BridgeLeave'));
  await shows(' | Anna');
  sendUntil(isUp);
  await shows('102 | ');
  stand.pbx.send(left.shift() as string);
  sendUntil((frame) => frame.startsWith('Event: BridgeLeave'));
  await shows(' | 102');
  sendUntil(() => false);
  const page = async () => (await boss.read(`/calls/details?id=pbx-${second}.8`)).plain;
  await until('the call to be over', async () => /Talked/.test(await page()), { state: page });
  assert.match(
    await page(),
    /Answered by Anna .*Rang Anna \d+:\d+, 102 \d+:\d+ Talked Anna \d+:\d+, then 102 \d+:\d+ /,
  );
  await stand.stop();
});
