import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { ReceivedMail } from '../../src/shared/mail/mail-server.fixture.ts';
import { always } from '../tools/fakes/fake-api-faults.ts';
import { createStand, markerCall, type Stand } from '../tools/program/stand.ts';
import { until } from '../tools/until.ts';
import { startReceivers, unfolded } from './alert-receivers.ts';
import { alertSettings } from './cause.ts';

const textOf = (mail: ReceivedMail | undefined) => unfolded(mail?.data ?? '');
const call = () => markerCall().frames[0] as string;

/** Waits until a bridge has on its disk that nothing is left to send. */
async function noted({ env }: Stand): Promise<void> {
  const file = `${env.STATE_DIR}/alerts.json`;
  const isNoted = () => {
    if (!existsSync(file)) return false;
    const { unsent } = JSON.parse(readFileSync(file, 'utf8')) as { unsent: Record<string, unknown[]> };
    return Object.values(unsent).flat().length === 0;
  };
  await until('nothing is left to send', isNoted);
}

test('a problem that is over is announced as over, once, also if the bridge was restarted meanwhile', async (t) => {
  const to = await startReceivers(t);
  const stand = await createStand(t, alertSettings(to));
  await stand.start();
  stand.fakeApi.inject(always({ kind: 'status', status: 401 }));
  stand.pbx.send(call());
  await to.until('delivery.paused began');
  // It arrives before the bridge hears that it was taken: one that ends in between announces it again.
  await noted(stand);
  await stand.stop();
  await stand.start();
  stand.fakeApi.inject(undefined);
  await to.until('delivery.paused over');
  assert.deepEqual(to.announced(), ['delivery.paused began', 'delivery.paused over']);
  assert.match(textOf(to.mail.received[1]), /^OVER: delivery paused: 401/m);
});
