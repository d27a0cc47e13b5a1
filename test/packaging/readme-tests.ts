import assert from 'node:assert/strict';
import { copyFileSync, readFileSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { freepbxFastAgiPort, startFreepbxFastAgi } from '../tools/lab/freepbx-fastagi.ts';
import { calls, phone } from '../tools/lab/sip-script.ts';
import { startSipp } from '../tools/lab/sipp.ts';
import type { Container } from '../tools/packaging/container.ts';
import type { Machine } from '../tools/packaging/machine.ts';
import { type Packages, versions } from '../tools/packaging/packages.ts';
import { type Layout, layouts } from '../tools/packaging/phone-system.ts';
import { readDocument, spansOf } from '../tools/tree/documents.ts';
import { until } from '../tools/until.ts';

/** The commands under a heading of a document, a block at a time. */
export function commandsOf(heading: string, path = 'README.md'): string[] {
  const document = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
  const [, chapter = ''] = document.split(new RegExp(`^#+ ${RegExp.escape(heading)}$`, 'm'));
  const [text = ''] = chapter.split(/^#+ /m);
  const blocks = [...text.matchAll(/^( *)```sh\n([\s\S]*?)^ *```$/gm)];
  assert.ok(blocks.length > 0, `${path} has no commands under ${heading}`);
  return blocks.map(([, indent = '', block = '']) => block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''));
}

/** Nothing of what the tests' own environment has. */
const login = ['-i', 'HOME=/root', 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'];

export const phonePort = 5071;

/**
 * Types the commands of the README (and of the documents that it sends its reader to) as they are written, on a
 * machine that has an Asterisk and not yet pbx-bridge, and calls in from outside. Only the API's address and token, and
 * the trunk's context, are replaced.
 */
export async function readmeTests(
  t: TestContext,
  { packages, machine, container, layout }: Stage,
): Promise<void> {
  const run = (commands: string) => container.run('env', ...login, 'bash', '-ec', `cd /root\n${commands}`);
  const type = async (commands: string) => {
    const said = await run(commands);
    assert.equal(said.code, 0, `${commands}\n${said.output}`);
    return said.output;
  };
  copyFileSync(packages.now, machine.at(`root/pbx-bridge_${versions.now}_amd64.deb`));
  if (layout === 'FreePBX') {
    const server = await startFreepbxFastAgi(freepbxFastAgiPort, undefined, container.inItsNetwork);
    t.after(async () => {
      await server.stop();
      assert.equal(server.deaths(), 0, 'the server of FreePBX');
    });
  }
  const [install = '', setUp = '', status = '', explain = '', ...more] = commandsOf(
    layout === 'plain' ? 'On plain Asterisk' : 'On FreePBX',
  );
  assert.deepEqual(more, [], 'every command is tried');

  let filledIn = '';
  await t.test('installs, and starts the other end', async () => {
    await type(install);
    const [service = ''] = commandsOf('Install', 'src/service/README.md');
    const [api = '', token = ''] = (await type(service)).match(/^API_\w+=.+$/gm) ?? [];
    filledIn = setUp
      .replace(/API_BASE_URL=\S+/, api)
      .replace(/API_TOKEN=\S+/, token)
      .replace(/(?<=INBOUND_CONTEXTS=)\S+/, layouts.plain.trunkContext);
  });
  await t.test('is set up by one command, which can be tried before and repeated', async () => {
    const tried = await type(`${filledIn.trim()} --dry-run`);
    assert.match(
      tried,
      /^would add the manager user \[pbx-bridge\] to .*\nwould run asterisk .*\nwould set API_BASE_URL, API_TOKEN, /,
    );
    assert.match(
      flat(await type(filledIn)),
      /All checks passed\.[\s\S]*^the bridge runs; now call in from outside, .*pbx-bridge explain NUMBER$/m,
    );
    const again = await type(filledIn);
    assert.match(again, /^nothing to change\n[\s\S]*All checks passed\./);
    assert.match(await type('systemctl is-enabled pbx-bridge'), /^enabled/);
    await type(status);
  });
  await t.test('a wrong value given to setup leaves the bridge as it is', async () => {
    const file = '/etc/pbx-bridge/bridge.env';
    const before = await type(`cat ${file}`);
    const { code, output } = await run(`${filledIn.trim()} AMI_SECRET=wrong`);
    assert.equal(code, 2, output);
    assert.match(
      flat(output),
      /^\/etc\/pbx-bridge\/bridge\.env is unchanged, and so is the bridge: correct/m,
    );
    assert.equal(await type(`cat ${file}`), before);
    assert.match(await type('ls /etc/pbx-bridge'), /^bridge\.env\n$/);
    await type(`systemctl restart pbx-bridge; ${status}`);
  });
  /** What is logged is on the bridge's disk: it is at the API, and in its history, a moment later. */
  const explains = (wanted: RegExp) => {
    let said = { code: -1, output: '' };
    const isExplained = async () => {
      said = await run(explain);
      return said.code === 0 && wanted.test(flat(said.output));
    };
    return until(`explain says ${wanted}`, isExplained, { state: () => said, everyMs: 1_000 });
  };
  await t.test('a start with a wrong secret ends too, and says why', async () => {
    const file = '/etc/pbx-bridge/bridge.env';
    await type(`cp ${file} right.env; sed -i 's/^AMI_SECRET=.*/AMI_SECRET=wrong/' ${file}`);
    const { code, output } = await run(`systemctl restart pbx-bridge; ${status}`);
    assert.equal(code, 2, output);
    assert.match(flat(output), /login refused \(Authentication failed\)/);
    await type(`cat right.env > ${file}`);
  });
  await t.test('reports the first call', async () => {
    await type(`systemctl restart pbx-bridge; ${status}`);
    await callIn(container, layout, logged('call.completed'));
    await explains(/^call pbx-\d+\.\d+\n[\s\S]*^REPORTED: ringing, answered, completed; /m);
  });
  if (layout === 'FreePBX') return;

  await t.test(
    "reports a call that nobody heard, from records that only Asterisk's group may read",
    async () => {
      const records = '/var/log/asterisk/cdr-csv';
      await type(
        `chmod 750 ${records}; echo CDR_SOURCE=csv:${records}/Master.csv >> /etc/pbx-bridge/bridge.env`,
      );
      assert.match(flat(await type('pbx-bridge check || true')), /^FAIL +Asterisk's call records .*EACCES/m);
      const [joinGroup = ''] = commandsOf('Filling gaps from call records (CDR)', 'config/operating.md');
      await type(joinGroup);
      await type('pbx-bridge check; systemctl stop pbx-bridge');
      await callIn(container, layout, `tail -qF -n +2 ${records}/Master.csv`);
      await type(`systemctl start pbx-bridge; ${firstOf(logged('cdr.call-reported'))}`);
      await explains(/^REPORTED: ringing, answered, completed; /m);
    },
  );

  await t.test('what README names for afterwards works as it is named', async () => {
    const [, chapter = ''] = readDocument('README.md').text.split('\n## After the installation\n');
    const named = spansOf(chapter.split('\n## ')[0] ?? '').filter((it) =>
      /^(systemctl (status|reload)|journalctl|pbx-bridge status)\b/.test(it),
    );
    assert.deepEqual(named, [
      'systemctl status pbx-bridge',
      'journalctl -u pbx-bridge',
      'systemctl reload pbx-bridge',
      'pbx-bridge status --all',
    ]);
    for (const command of named) await type(command);
    assert.match(await type('pbx-bridge service link'), / http:\/\/127\.0\.0\.1:8080\/sign-in#\S+$/m);
  });

  const [byHand = '', byCron = ''] = commandsOf('Back up and restore', 'config/operating.md');
  const backups = '/var/lib/pbx-bridge/backups';
  await t.test('a backup goes where the manual says, by hand and by cron', async () => {
    await type(byHand);
    await type(byCron);
    const cron = readFileSync(machine.at('etc/cron.d/pbx-bridge-backup'), 'utf8');
    const [, user = '', job = ''] = /^(?:\S+ ){5}(\S+) (.+)\n$/.exec(cron) ?? [];
    // As cron(8) runs it: a short PATH, sh, and % for \%.
    const cronEnvironment = ['-i', `HOME=/${user}`, `LOGNAME=${user}`, 'SHELL=/bin/sh', 'PATH=/usr/bin:/bin'];
    const ran = await container.run(
      'env',
      ...cronEnvironment,
      'sh',
      '-c',
      `cd && ${job.replaceAll('\\%', '%')}`,
    );
    assert.deepEqual(ran, { code: 0, output: '' }, 'cron would mail what it prints');
    const kept = await type(`cd ${backups}; stat -c '%U %a %n' *`);
    assert.match(kept, /^pbx-bridge 600 before-upgrade\.db\npbx-bridge 600 day-[1-7]\.db\n$/);
    assert.equal(await type(`stat -c '%U %a' ${backups}`), 'pbx-bridge 700\n');
    const report = `${backups}/report.txt`;
    assert.match(await type(`pbx-bridge bugreport --out ${report}`), new RegExp(`^wrote ${report}, `));
  });

  await t.test('as the help says it, too, and what was lost is restored', async () => {
    const examples = async (command: string) =>
      [...(await type(`pbx-bridge ${command} --help`)).matchAll(/^ {2}(pbx-bridge .+?)(?: {2,}.*)?$/gm)].map(
        ([, example]) => example,
      );
    await type((await examples('backup')).join('\n'));
    const lose = 'systemctl stop pbx-bridge; rm /var/lib/pbx-bridge/bridge/*';
    await type([lose, ...(await examples('restore')), 'systemctl start pbx-bridge'].join('\n'));
    await explains(/^REPORTED: ringing, answered, completed; /m);
  });

  await t.test('elsewhere, a line says as whom the command runs and where it may write', async () => {
    await type(`cp ${backups}/monday.db /root/`);
    for (const [command, user, folder] of [
      ['backup other.db', 'pbx-bridge', backups],
      ['backup /etc/other.db', 'pbx-bridge', backups],
      ['restore monday.db', 'pbx-bridge', backups],
      ['bugreport --out report.txt', 'pbx-bridge', backups],
      ['record --out trouble.jsonl', 'pbx-bridge', backups],
      ['replay monday.db', 'pbx-bridge', backups],
      ['service backup other.db', 'pbx-bridge-service', '/var/lib/pbx-bridge-service'],
    ] as const) {
      const { code, output } = await run(`pbx-bridge ${command}`);
      const name = command.split(' ').at(-1) ?? '';
      const line = `^pbx-bridge: no access to ${name.startsWith('/') ? '' : '/root/'}${name}(\\.part)? \\(EACCES\\): the program runs as the user ${user}; choose a file in a folder of that user, such as ${folder}\n$`;
      assert.match(output, new RegExp(line), command);
      assert.equal(code, 1);
    }
    const [manual = ''] = /runuser -u pbx-bridge [^`]+/.exec(readDocument('config/operating.md').text) ?? [];
    await type(manual.replaceAll('FILE', 'monday.db'));
  });

  await t.test('an upgrade as README says; the service is backed up as its manual says', async () => {
    const [row = ''] = /^\| upgrade or downgrade .*/m.exec(readDocument('README.md').text) ?? [];
    const [, upgrade = ''] = /`([^`]+)`/.exec(row) ?? [];
    copyFileSync(packages.next, machine.at('root/next.deb'));
    const [service = ''] = commandsOf('Back up', 'src/service/README.md');
    await type(`${service}${upgrade} ./next.deb`);
    const found = await type(`cd ${backups}/../../pbx-bridge-service; stat -c '%U %a' before-upgrade.db`);
    assert.equal(found, 'pbx-bridge-service 600\n');
  });

  await t.test('a purge says what it deletes, and what stays in Asterisk', async () => {
    const purge = await container.run('env', ...login, 'sh', '-c', 'yes | apt purge pbx-bridge');
    // apt gives dpkg a terminal.
    const output = purge.output.replaceAll('\r', '');
    const [, list = ''] = /^pbx-bridge: deleting\n((?: {2}\/.*\n)+)/m.exec(output) ?? [];
    const named = list.match(/\/[\w/-]+/g) ?? [];
    assert.deepEqual(named.sort(), [
      '/etc/pbx-bridge',
      '/etc/pbx-bridge-service',
      '/var/lib/pbx-bridge',
      '/var/lib/pbx-bridge-service',
    ]);
    for (const path of named) assert.notEqual((await run(`stat ${path}`)).code, 0, path);
    assert.match(
      output,
      /manager user stays: delete the section \[pbx-bridge\] of \/etc\/asterisk\/manager\.conf$/m,
    );
  });
}

const flat = (text: string) => text.replace(/\n +(?=\S)/g, ' ');
const logged = (code: string) =>
  `journalctl -f --no-tail -o cat -t pbx-bridge | grep --line-buffered ${code}`;
/** Ends with the first line that a command prints, or fails after 100 s. */
const firstOf = (command: string) => `grep -qm1 '' < <(timeout 100 bash -c '${command}' 2>/dev/null)`;

type Stage = {
  readonly packages: Packages;
  readonly machine: Machine;
  readonly container: Container;
  readonly layout: Layout;
};

/** Somebody calls, the phone is picked up, and Asterisk ends the call; waits for the first line of this command. */
async function callIn({ inItsNetwork, run }: Container, layout: Layout, sign: string): Promise<void> {
  const there = { runner: inItsNetwork } as const;
  const desk = await startSipp({ ...there, port: phonePort, script: phone.answers() });
  const invitation = { to: layouts[layout].called, from: '0301234567', headers: ['X-Provider: yes'] };
  const caller = await startSipp({ ...there, port: 5072, calls: 5060, script: calls(invitation) });
  try {
    assert.equal((await run('bash', '-c', firstOf(sign))).code, 0, sign);
  } finally {
    await caller.close();
    await desk.close();
  }
}
