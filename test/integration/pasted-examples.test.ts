import assert from 'node:assert/strict';
import { mkdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { type TestContext, test } from 'node:test';
import { amiEvent } from '../tools/fakes/ami-event.ts';
import { freePort } from '../tools/free-port.ts';
import { temporaryFolder } from '../tools/program/program.ts';
import { openShell, type Where } from '../tools/program/shell.ts';
import { createStand } from '../tools/program/stand.ts';
import { inHelp } from '../tools/tree/printed-commands.ts';

/** Which of its own output shows that a command works that goes on until Ctrl-C. */
const endless: readonly (readonly [RegExp, RegExp])[] = [
  [/ check --call/, /Make a test call now/],
  [/ status --watch/, /Asterisk/],
  [/ record /, /recording into/],
];

/** Only read, by `printed-commands.test.ts`, and why. */
const onlyRead: readonly (readonly [RegExp, string])[] = [
  [/ backfill /, 'it needs call records and the service: backfill.test.ts'],
  [/ service copy /, 'it needs PostgreSQL: service-copy.test.ts'],
  [/ setup API_BASE_URL/, 'it changes Asterisk: setup.test.ts, packaging/readme-tests.ts'],
  [/ --instance /, 'it is about one bridge of several: instances.test.ts, packaging/instance-tests.ts'],
  [/ status --all/, "it reads this machine's /etc/pbx-bridge: status-all.test.ts"],
];

/** No test writes to where these are: the package's folder is tried in `packaging/readme-tests.ts`. */
const ownFolder = (command: string, folder: string) =>
  command.replaceAll(/\/(?:var\/lib\/pbx-bridge\/backups|tmp)\//g, `${folder}/files/`);

for (const where of ['pipe', 'terminal'] as const)
  test(`the examples of every --help work as they are printed, through a ${where}`, async (t) => {
    await runExamples(t, where);
  });

async function runExamples(t: TestContext, where: Where): Promise<void> {
  const stand = await createStand(t, {
    STATUS_LISTEN: `127.0.0.1:${await freePort()}`,
    AGI_LISTEN: `127.0.0.1:${await freePort()}`,
    ALERT_WEBHOOK: await webhook(t),
  });
  await stand.start();
  const call = {
    Channel: 'PJSIP/provider-00000001',
    CallerIDNum: '0301234567',
    Uniqueid: '1763600000.42',
    Linkedid: '1763600000.42',
  };
  stand.pbx.send(amiEvent('Newchannel', call));
  stand.pbx.send(amiEvent('Hangup', call));
  await stand.caughtUp();
  const folder = temporaryFolder(t);
  mkdirSync(`${folder}/files`);
  const shell = openShell(folder, stand.env);
  const try_ = async (command: string, { run } = shell) => {
    const enough = endless.find(([which]) => which.test(command))?.[1];
    const { code, output } = await run(ownFolder(command, folder), where, enough);
    assert.doesNotMatch(output, /error: |usage:|^ +at .*\.ts:\d+/im, command);
    // 2: it found a problem; 3: it found nothing.
    if (enough === undefined) assert.ok([0, 2, 3].includes(code ?? -1), `${command}: ${code}\n${output}`);
    else assert.match(output, enough, command);
  };
  const examples = [...new Set(inHelp().map(({ command }) => command))];
  const read = examples.filter((it) => onlyRead.some(([which]) => which.test(it)));
  assert.ok(onlyRead.every(([which]) => read.some((it) => which.test(it))));
  for (const command of read) t.diagnostic(`only read: ${command}`);
  const toRun = examples.filter((it) => !read.includes(it));
  const recorded = toRun.filter((it) => / record /.test(it));
  const restored = toRun.filter((it) => / restore /.test(it));
  assert.ok(toRun.length > 35 && recorded.length === 2 && restored.length === 2);
  for (const command of recorded) {
    rmSync(`${folder}/files/problem.jsonl`, { force: true });
    await try_(command);
  }
  for (const command of toRun.filter((it) => !recorded.includes(it) && !restored.includes(it)))
    await try_(command);
  const otherMachine = temporaryFolder(t);
  const other = openShell(otherMachine, { ...stand.env, STATE_DIR: `${otherMachine}/state` });
  for (const command of restored) await try_(command, other);
}

/** Takes everything; its address. */
async function webhook(t: TestContext): Promise<string> {
  const server = createServer((request, response) => request.resume().on('end', () => response.end()));
  const port = await freePort();
  await new Promise<void>((resolve) => {
    server.listen(port, '127.0.0.1', resolve);
  });
  t.after(() => server.close());
  return `http://127.0.0.1:${port}/`;
}
