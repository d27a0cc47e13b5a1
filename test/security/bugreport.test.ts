import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { customer } from '../../src/service/people/customer.fixture.ts';
import { systemClock } from '../../src/shared/process/clock.ts';
import { startFakeApi } from '../tools/fakes/fake-api.ts';
import { always } from '../tools/fakes/fake-api-faults.ts';
import { createPlayer } from '../tools/player/player.ts';
import { runProgram, temporaryFolder } from '../tools/program/program.ts';
import { markerCall } from '../tools/program/stand.ts';
import { event, serve } from '../tools/service/harness.ts';
import { person, visitor, withStore } from '../tools/service/people.ts';

/** Planted wherever a bug report could take something from. Numbers in every form that a text has them in. */
const names = ['Canaria Vogelsang', 'Kanari GmbH', 'canary.person@example.com'];
const numbers = ['4940669699990', '040669699990', '40 669699990', '0170-5556677'];
const secrets = [
  'CANARY-ami-7f3a91',
  'CANARY-api-58c2e0',
  'CANARY-cdr-90b6d4',
  'CANARY-proxy',
  'CANARY-mail',
  'CANARY-hook',
];

/** What a log can hold that a program wrote before it crashed, or in another form. */
const foreignLines = [
  `[12:00:00.000] WARN: no number for ${names[0]} <+${numbers[0]}>`,
  `Error: cannot call ${names[0]} ${numbers[2]}`,
  '    at startBridge (/usr/lib/pbx-bridge/src/bridge/bridge.ts:12:3)',
  `{"code":"delivery.dead-letter","time":"2026-11-22T12:00:00.000Z","reply":"${names[1]}","call":"pbx-1763600000.42","from":"+${numbers[0]}"}`,
  `{"code":"not.in.the.catalogue","text":"${names[0]} ${numbers[3]}"}`,
  `{"code":"program.reload-refused","level":"warn","time":"2026-11-22T12:00:00.000Z","problems":"SIP/+${numbers[0]}-0000002a, ${numbers[1]} of ${names[2]}, Bearer cia_${'0123456789abcdef'.repeat(5)}"}`,
].join('\n');

function leaks(text: string, also: readonly string[] = []): string[] {
  const digits = text.replace(/[ ()/-]/g, '');
  return [
    ...[...names, ...secrets, ...also].filter((one) => text.includes(one)),
    ...numbers.filter((one) => digits.includes(one.replace(/[ -]/g, ''))),
  ];
}

async function reportOf(
  t: TestContext,
  args: string[],
  env: Record<string, string>,
  cwd: string,
): Promise<string> {
  const file = join(cwd, 'report.txt');
  const program = runProgram([...args, '--out', file], { cwd, env });
  t.after(() => program.end('SIGKILL'));
  await program.ended;
  assert.match(program.output(), /report\.txt/);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  return readFileSync(file, 'utf8');
}

test('a bug report of the bridge says what it is about, and holds no secret, name or number', async (t) => {
  const pbx = createPlayer({ username: 'bridge', secret: 'CANARY-ami-7f3a91', clock: systemClock });
  const { port } = await pbx.listen();
  const fakeApi = await startFakeApi({ token: 'CANARY-api-58c2e0' });
  const cwd = temporaryFolder(t);
  const log = join(cwd, 'bridge.log');
  const env = {
    AMI_PORT: String(port),
    AMI_USERNAME: 'bridge',
    AMI_SECRET: 'CANARY-ami-7f3a91',
    API_BASE_URL: fakeApi.baseUrl,
    API_TOKEN: 'CANARY-api-58c2e0',
    STATE_DIR: join(cwd, 'state'),
    CDR_SOURCE: 'mysql://reader@127.0.0.1:1/asteriskcdrdb',
    CDR_PASSWORD: 'CANARY-cdr-90b6d4',
    SMTP_URL: 'smtp://pbx:CANARY-mail@127.0.0.1:1',
    MAIL_FROM: `Phones <${names[2]}>`,
    ALERT_MAIL: `${names[2]}`,
    ALERT_WEBHOOK: 'https://127.0.0.1:1/CANARY-hook',
    WITHHELD_NUMBER: `+${numbers[0]}`,
    AGI_LISTEN: '127.0.0.1:0',
    STATUS_LISTEN: '127.0.0.1:0',
    LOG_LEVEL: 'debug',
    LOG_NUMBERS: 'show',
  };
  t.after(async () => {
    await pbx.close();
    await fakeApi.close();
  });
  const bridge = runProgram(['run'], { cwd, env });
  t.after(() => bridge.end('SIGKILL'));
  await bridge.says(/"code":"ami\.connected"/);
  const [, statusPort = ''] = (await bridge.says(/"code":"status\.listening"[^\n]*"port":(\d+)/)) ?? [];
  const body = JSON.stringify({ message: `${names[1]} +${numbers[0]}`, errors: {} });
  fakeApi.inject(always({ kind: 'status', status: 422, body }));
  const planted = (frame: string) =>
    frame.replace('+494066969999', `+${numbers[0]}`).replace(/(CallerIDName: ).*/g, `$1${names[0]}`);
  const frames = markerCall().frames.map(planted);
  for (const frame of frames) pbx.send(frame);
  await bridge.says(/"code":"delivery\.[^"]*"[^\n]*422/);
  writeFileSync(log, `${bridge.output()}\n${foreignLines}\n`);
  assert.deepEqual(
    leaks(readFileSync(log, 'utf8')).filter((one) => [names[0], numbers[0]].includes(one)),
    [names[0], numbers[0]],
    'the search finds what there is',
  );
  const recording = join(cwd, 'trouble.jsonl');
  const header = {
    recording: 1,
    asterisk: '22.1.0',
    row: names[0],
    startedAt: 0,
    channels: [frames[0]],
    bridges: [],
  };
  const recorded = frames.map((frame, ms) =>
    JSON.stringify({ ms, frame: `${frame}\r\nNote: CANARY-api-58c2e0` }),
  );
  writeFileSync(
    recording,
    `${[JSON.stringify({ ...header, row: 'at the office' }), ...recorded].join('\n')}\n`,
  );

  const args = ['bugreport', '--log', log, '--recording', recording];
  const text = await reportOf(t, args, { ...env, STATUS_LISTEN: `127.0.0.1:${statusPort}` }, cwd);
  assert.deepEqual(
    leaks(text),
    [],
    text
      .split('\n')
      .filter((line) => leaks(line).length > 0)
      .join('\n'),
  );
  for (const part of [
    /^pbx-bridge \d+\.\d+\.\d+\S*, bug report of 20/,
    /== machine\n\n\{\n {2}"system": "linux /,
    /== settings\n[\s\S]*AMI_SECRET is set\n[\s\S]*STATE_DIR=/,
    /WITHHELD_NUMBER=\[13 digits\]\n/,
    /== check\n[\s\S]*"verdict": "error"/,
    /== status\n[\s\S]*"pbxId": "pbx"/,
    /== log[\s\S]* info ami\.connected connected to /,
    /\n {4}at startBridge \(/,
    /\nError: \[left out\]\n/,
    /== recording\n\n\{"recording":1,"asterisk":"22\.1\.0","row":"at the office"/,
    /Event: Newchannel/,
  ])
    assert.match(text, part);
});

test('a bug report of the service holds no secret, name or number', async (t) => {
  const served = await serve(t);
  const { a, url, ask, post, stateDir } = served;
  await person(served, { name: names[0] as string, role: 'administrator' });
  const { cookie, token } = await visitor(served, names[0] as string);
  await post(a.token, event({ from: `+${numbers[0]}`, id: 'canary' }));
  await withStore(served, async (store) => {
    const [account] = (await store.directory.read(0))?.directory.accounts ?? [];
    await store.customers.put(account?.id ?? 0, [
      customer({ reference: 'c', name: names[1] as string, numbers: [`+${numbers[0]}`] }),
    ]);
    await store.directory.renameAccount(account?.id ?? 0, names[1] as string);
    const integrations = (await store.directory.read(0))?.directory.integrations ?? [];
    for (const [index, { id }] of integrations.entries())
      await store.directory.changeIntegration(id, { name: names[index % names.length] as string });
  });
  const cwd = temporaryFolder(t);
  const log = join(cwd, 'service.log');
  const first = `{"level":"info","time":"2026-11-22T12:00:00.000Z","code":"service.first-start","account":"${names[1]}","integration":"${names[0]}","stateDir":"/x","msg":"${names[1]}"}`;
  const alert = `{"level":"warn","time":"2026-11-22T12:00:00.000Z","code":"alert.began","problem":"service.phone-system-silent","what":"phone system ${names[0]} of account ${names[1]} is silent"}`;
  const webhook = `{"level":"warn","time":"2026-11-22T12:00:00.000Z","code":"webhook.switched-off","webhook":"w1","account":"${names[1]}","host":"crm.vogelsang.example"}`;
  // As the journal has it.
  const journal = [
    `phone system ${names[0]} of account ${names[1]} uses a token that was replaced, or is switched off [service.token-refused]`,
    `webhook w2 of account ${names[1]} to crm.vogelsang.example was switched off [webhook.switched-off]`,
    `problem service.phone-system-silent: phone system ${names[0]} of account ${names[1]} is silent. What to do: Check it. [alert.began]`,
    'backup written: /backups/one.gz [service.backed-up]',
    `text of another version about ${names[0]} [service.trimmed]`,
  ].join('\n');
  writeFileSync(log, `${[first, alert, webhook, journal, foreignLines].join('\n')}\n${cookie} ${token}\n`);
  const env = {
    SERVICE_STATE_DIR: stateDir,
    SERVICE_LISTEN: `127.0.0.1:${new URL(url).port}`,
    SMTP_URL: 'smtp://pbx:CANARY-mail@127.0.0.1:1',
    MAIL_FROM: names[2] as string,
    ALERT_WEBHOOK: 'https://127.0.0.1:1/CANARY-hook',
  };
  const text = await reportOf(t, ['service', 'bugreport', '--log', log], env, cwd);
  const secret = readFileSync(join(stateDir, 'service-secret'), 'utf8').trim();
  assert.deepEqual(
    leaks(text, [
      a.token,
      a.secondToken,
      a.admin,
      cookie,
      token,
      secret,
      'Alpha',
      'Beta',
      'PBX 1',
      'vogelsang',
    ]),
    [],
  );
  for (const part of [
    /^pbx-bridge service \d/,
    /SMTP_URL is set\n/,
    /== storage\n[\s\S]*"engine": "SQLite [\s\S]*"requests": 1,[\s\S]*"enabled": true,/,
    /== health\n\n\{\n {2}"status": 200,\n {2}"storage": "reached"/,
    /alert\.began problem service\.phone-system-silent: phone system \{integration\} of account \{account\} is silent/,
    /service\.token-refused phone system \[left out\] of account \[left out\] uses a token/,
    /webhook\.switched-off webhook w2 of account \[left out\] to \[left out\] was switched off/,
    /service\.backed-up backup written: \/backups\/one\.gz\n/,
    /- info service\.trimmed deleted /,
    /webhook\.switched-off webhook w1 of account \[left out\] to \[left out\] was switched off/,
    /service\.first-start first start: created account \[left out\]/,
  ])
    assert.match(text, part);
  assert.equal((await ask(`${url}/healthz`)).status, 200);

  const again = runProgram(['service', 'bugreport', '--out', join(cwd, 'report.txt')], { cwd, env });
  t.after(() => again.end('SIGKILL'));
  await again.ended;
  assert.match(again.output(), /report\.txt exists: choose another file\n/);
});
