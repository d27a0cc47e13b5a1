import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { createServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { createPlayer } from '../../src/ami/player/player.ts';
import { systemClock } from '../../src/process/clock.ts';
import { makeCertificate } from '../certificate.ts';
import { always } from '../fakes/far-side-faults.ts';
import { type Alert, startReceivers } from './alert-receivers.ts';
import { runCommand } from './operator.ts';
import { temporaryFolder } from './program.ts';
import { createStand, markerCall } from './stand.ts';

type Test = Parameters<typeof createStand>[0];
/** Receivers, and the settings that send alerts there. */
async function receivers(t: Test) {
  const at = await startReceivers(t);
  const { mail, hook } = at;
  return {
    ...at,
    env: {
      SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
      MAIL_FROM: 'pbx@example.com',
      ALERT_MAIL: 'ops@example.com',
      ALERT_WEBHOOK: hook.url,
      ALERT_AFTER: '0s',
    },
    /** Resolves when the next alert has arrived at both. */
    async next(state: string, code: RegExp) {
      const count = hook.received.length + 1;
      await Promise.all([hook.has(count), mail.has(count)]);
      const {
        alerts: [alert = assert.fail()],
      } = hook.received[count - 1] as { alerts: Alert[] };
      assert.equal(alert.state, state);
      assert.match(alert.code, code);
      const { data = '' } = mail.received[count - 1] ?? {};
      assert.ok(data.includes(alert.code), data);
      if (state === 'began') assert.ok(alert.remedy.length > 10, alert.remedy);
      return { alert, data };
    },
  };
}

const call = () => markerCall().frames[0] as string;

test('each problem of a bridge arrives once by mail and webhook, and once when it is over, also over a restart', async (t) => {
  const to = await receivers(t);
  const stand = await createStand(t, { ...to.env, API_TIMEOUT: '1s' });
  await stand.start();

  await stand.pbx.crash();
  const { alert, data } = await to.next('began', /^ami\./);
  assert.match(data, /^Subject: \[pbx-bridge bridge pbx\] PROBLEM: /m);
  assert.ok(Date.now() - Date.parse(alert.since) < 60_000);
  await stand.pbx.listen();
  await stand.connected();
  await to.next('over', /^ami\./);

  stand.farSide.inject(
    always({
      kind: 'status',
      status: 401,
      headers: { date: new Date(Date.now() - 10 * 60_000).toUTCString() },
    }),
  );
  stand.pbx.send(call());
  await to.until('delivery.paused began');
  await to.until('problem.clock began');
  await stand.stop();
  await stand.start();
  stand.farSide.inject(undefined);
  await to.until('delivery.paused over');
  await to.until('problem.clock over');

  stand.farSide.inject(always({ kind: 'hang' }));
  stand.pbx.send(call());
  await to.next('began', /^problem\.backlog$/);
  stand.farSide.inject(always({ kind: 'status', status: 422 }));
  await to.until('problem.dead-letters began');
  await to.until('problem.backlog over');
  stand.farSide.inject(undefined);
  const discarded = await runCommand(['outbox', 'discard', '--all', '--yes'], stand.env);
  assert.equal(discarded.code, 0, discarded.error);
  await to.until('problem.dead-letters over');
  assert.equal(new Set(to.told()).size, to.told().length, 'each once');
  assert.equal(to.mail.received.length, to.hook.received.length);
});

test('records that cannot be read and certificates that expire soon arrive', async (t) => {
  const to = await receivers(t);
  const folder = temporaryFolder(t);
  const [own, pbxs, apis] = [
    await makeCertificate(folder, 'bridge.example'),
    await makeCertificate(folder, 'pbx.example'),
    await makeCertificate(folder, 'localhost'),
  ];
  const trusted = getCACertificates('default');
  setDefaultCACertificates([...trusted, readFileSync(apis.cert, 'utf8')]);
  const files = (it: typeof own) => ({ key: readFileSync(it.key), cert: readFileSync(it.cert) });
  const account = { username: 'bridge', secret: 'sesame', clock: systemClock };
  const pbx = createPlayer({ ...account, tls: files(pbxs) });
  const { port } = await pbx.listen();
  const sockets = new Set<Socket>();
  let farPort = 0;
  const tls = createServer(files(apis), (socket) => {
    const far = connect(farPort, '127.0.0.1');
    for (const it of [socket, far]) sockets.add(it.on('error', () => far.destroy()));
    socket.pipe(far).pipe(socket);
  });
  await new Promise<void>((resolve) => void tls.listen(0, '127.0.0.1', resolve));
  const apiPort = (tls.address() as { port: number }).port;
  const stand = await createStand(t, {
    ...to.env,
    AMI_PORT: String(port),
    AMI_TLS: 'yes',
    AMI_TLS_CA: pbxs.cert,
    AMI_TLS_SERVERNAME: 'pbx.example',
    API_BASE_URL: `https://localhost:${apiPort}/api/v1`,
    API_CLIENT_CERT: own.cert,
    API_CLIENT_KEY: own.key,
    CDR_SOURCE: `csv:${folder}/nowhere/Master.csv`,
  });
  farPort = stand.farSide.port;
  t.after(async () => {
    setDefaultCACertificates(trusted);
    for (const socket of sockets) socket.destroy();
    tls.close();
    await pbx.close();
  });
  await stand.start();
  pbx.send(call());
  while (to.told().length < 4) await to.hook.has(to.hook.received.length + 1);
  assert.deepEqual(
    to
      .alerts()
      .map(({ code, what }) => `${code}: ${what.replace(/ \d{4}-.*| on .*|\/.*/, '')}`)
      .sort(),
    [
      'cdr.unreadable: call records: cannot read or process ',
      'problem.certificate: API_CLIENT_CERT expires',
      'problem.certificate: the certificate of Asterisk expires',
      'problem.certificate: the certificate of the API expires',
    ],
  );
});

test('alerts that cannot be sent disturb no call; log and status say so, and they are sent later', async (t) => {
  const to = await receivers(t);
  const stand = await createStand(t, {
    ...to.env,
    SMTP_URL: 'smtp://127.0.0.1:1',
    STATUS_LISTEN: '127.0.0.1:0',
  });
  to.hook.answer.status = 302;
  to.hook.answer.location = to.hook.url;
  await stand.start();
  stand.farSide.inject(always({ kind: 'status', status: 401 }));
  stand.pbx.send(call());
  const status = async () =>
    (await runCommand(['status', '--url', `http://127.0.0.1:${stand.statusPort()}`], stand.env)).text;
  let text = '';
  while (!/NOT SENT.*NOT SENT/s.test(text)) text = (await status()).replace(/\s+/g, ' ');
  assert.match(
    text,
    /NOT SENT: 1 alert, mail to ops@example\.com: the mail server 127\.0\.0\.1:1 cannot be reached/,
  );
  assert.match(text, /NOT SENT: 1 alert, webhook at 127\.0\.0\.1:\d+: .*it answered HTTP 302/);
  assert.doesNotMatch(text, /secret/);
  assert.match(text, /! problem delivery paused: 401/);
  assert.deepEqual(to.hook.received, []);
  stand.farSide.inject(undefined);
  await stand.heardAll();
  await stand.farSide.waitFor((it) => it.calls().size >= 2);
});

test('alert test sends one to each, and says what became of it', async (t) => {
  const to = await receivers(t);
  const env = {
    ...{ AMI_USERNAME: 'a', AMI_SECRET: 'b', API_BASE_URL: 'https://api.example/api/v1', API_TOKEN: 't' },
    ...to.env,
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
