import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startReceivers } from '../alerts/alert-receivers.ts';
import { alertSettings } from '../alerts/cause.ts';
import { always } from '../tools/fakes/fake-api-faults.ts';
import { runCommand } from '../tools/program/operator.ts';
import { createStand, markerCall } from '../tools/program/stand.ts';
import { until } from '../tools/until.ts';

const call = () => markerCall().frames[0] as string;

test('alerts that cannot be sent disturb no call; log and status say so, and they are sent later', async (t) => {
  const to = await startReceivers(t);
  const stand = await createStand(t, {
    ...alertSettings(to),
    SMTP_URL: 'smtp://127.0.0.1:1',
    STATUS_LISTEN: '127.0.0.1:0',
  });
  to.hook.answer.status = 302;
  to.hook.answer.location = to.hook.url;
  await stand.start();
  stand.fakeApi.inject(always({ kind: 'status', status: 401 }));
  stand.pbx.send(call());
  const status = async () =>
    (await runCommand(['status', '--url', `http://127.0.0.1:${stand.statusPort()}`], stand.env)).text;
  const text = await until('both alerts to be shown as not sent', async () => {
    const now = (await status()).replace(/\s+/g, ' ');
    return /NOT SENT.*NOT SENT/.test(now) && now;
  });
  assert.match(
    text,
    /NOT SENT: 1 alert, mail to ops@example\.com: the mail server 127\.0\.0\.1:1 cannot be reached/,
  );
  assert.match(text, /NOT SENT: 1 alert, webhook at 127\.0\.0\.1:\d+: .*it answered HTTP 302/);
  assert.doesNotMatch(text, /secret/);
  assert.match(text, /! problem delivery paused: 401/);
  assert.deepEqual(to.hook.received, []);
  stand.fakeApi.inject(undefined);
  await stand.caughtUp();
  await stand.fakeApi.waitFor((it) => it.calls().size >= 2);
});

test('alert test sends one to each, and says what became of it', async (t) => {
  const to = await startReceivers(t);
  const env = {
    AMI_USERNAME: 'a',
    AMI_SECRET: 'b',
    API_BASE_URL: 'https://api.example/api/v1',
    API_TOKEN: 't',
    ...alertSettings(to),
  };
  const sent = await runCommand(['alert', 'test'], env);
  assert.equal(sent.code, 0);
  assert.equal(
    sent.text,
    `accepted: mail to ops@example.com\naccepted: webhook at ${new URL(to.hook.url).host}\n`,
  );
  assert.deepEqual([to.alerts()[0]?.code, to.mail.received.length], ['problem.test', 1]);
  to.hook.answer.status = 500;
  const failed = await runCommand(['alert', 'test'], env);
  assert.equal(failed.code, 2);
  assert.match(failed.text, /^FAILED: webhook at .*: it answered HTTP 500$/m);
  const { ALERT_MAIL: _, ALERT_WEBHOOK: __, ...none } = env;
  const unset = await runCommand(['alert', 'test'], none);
  assert.deepEqual([unset.code, /set ALERT_MAIL/.test(unset.error)], [1, true]);
});
