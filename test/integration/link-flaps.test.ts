import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '../../src/shared/process/clock.ts';
import { startReceivers } from '../alerts/alert-receivers.ts';
import { alertSettings } from '../alerts/cause.ts';
import { startWire } from '../tools/lab/wire.ts';
import { createPlayer } from '../tools/player/player.ts';
import { createStand, markerCall } from '../tools/program/stand.ts';
import { until } from '../tools/until.ts';

test('a link that comes and goes loses and doubles no call, and is one alert', async (t) => {
  const to = await startReceivers(t);
  const pbx = createPlayer({ username: 'bridge', secret: 'sesame', clock: systemClock });
  const wire = await startWire({ port: 0, target: (await pbx.listen()).port });
  const stand = await createStand(t, {
    AMI_PORT: `${wire.port}`,
    ...alertSettings(to),
    ALERT_AFTER: '5m',
  });
  t.after(async () => {
    await wire.close();
    await pbx.close();
  });
  await stand.start();

  /** Resolves when the bridge has noticed this number of losses of the link, and that it is back. */
  const noticed = async (times: number, isBack: boolean): Promise<void> => {
    const file = join(stand.env.STATE_DIR as string, 'alerts.json');
    const read = () => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).watched.link : undefined);
    const isSo = () => {
      const link = read();
      const seen = link?.alert?.times ?? link?.beginnings.length;
      return seen === times && (link.absentSince !== undefined) === isBack;
    };
    await until(`link lost ${times} times, back: ${isBack}`, isSo, { state: read });
  };
  const calls: string[] = [];
  for (let times = 1; times <= 6; times++) {
    const [through, lost] = [markerCall(), markerCall()];
    calls.push(through.id, lost.id);
    for (const { frames } of [through, lost]) pbx.send(frames[0] as string);
    await stand.fakeApi.waitFor((it) => calls.every((id) => it.calls().has(id)));
    const cut = wire.cutAfter({ bytes: 10 });
    wire.refuse(true);
    // Its Hangup is cut in the middle; the other call goes on until the link is back.
    pbx.send(lost.frames[1] as string);
    await cut;
    await noticed(times, false);
    wire.refuse(false);
    await stand.connected();
    await noticed(times, true);
    pbx.send(through.frames[1] as string);
  }
  await stand.fakeApi.waitFor((it) => calls.every((id) => it.calls().get(id)?.state === 'completed'));
  const seen = stand.fakeApi.requests().map(({ payload }) => `${payload.id} ${payload.status}`);
  assert.deepEqual(seen.sort(), calls.flatMap((id) => [`${id} completed`, `${id} ringing`]).sort());
  await Promise.all([to.hook.has(1), to.mail.has(1)]);
  await stand.stop();
  assert.deepEqual([to.alerts().length, to.mail.received.length], [1, 1]);
  assert.match(to.alerts()[0]?.what ?? '', /Asterisk/);
});
