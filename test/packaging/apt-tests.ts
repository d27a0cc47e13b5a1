import assert from 'node:assert/strict';
import { once } from 'node:events';
import { appendFileSync, copyFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { layOutRepository } from '../../systemd/build/apt.ts';
import type { Machine } from '../tools/packaging/machine.ts';
import { type Packages, versions } from '../tools/packaging/packages.ts';
import { temporaryFolder } from '../tools/program/program.ts';
import { readDocument } from '../tools/tree/documents.ts';

/** A signed apt repository as `npm run build -- --apt-key` lays it out, from a folder and from a server, on a bare Debian. */
export async function aptTests(t: TestContext, packages: Packages, machine: Machine): Promise<void> {
  const keyFile = join(temporaryFolder(t), 'key.asc');
  const folder = machine.at('srv/apt');
  mkdirSync(folder, { recursive: true });
  const url = await serveFiles(t, folder);
  const [sources = '', origins = ''] = ['sources', 'conf'].map(
    (kind) => new RegExp(`\`\`\`${kind}\n([\\s\\S]*?)\`\`\``).exec(readDocument('README.md').text)?.[1],
  );
  const at = Date.now() / 1_000;
  const publish = (deb: string, seconds: number) =>
    layOutRepository(folder, [deb], { keyFile, at: Math.floor(at) + seconds });
  const pointTo = (place: string) =>
    writeFileSync(
      machine.at('etc/apt/sources.list.d/pbx-bridge.sources'),
      sources.replace(/(?<=URIs: )\S+/, place),
    );
  const apt = async (...args: string[]) => {
    const { code, output } = await machine.chroot('apt-get', '-y', '-q', ...args);
    assert.equal(code, 0, output);
    return output;
  };
  writeFileSync(machine.at('etc/apt/sources.list'), '');

  await t.test('a key is made once, for its owner alone, and apt accepts the folder', async () => {
    publish(packages.now, 0);
    assert.equal(statSync(keyFile).mode & 0o777, 0o600);
    mkdirSync(machine.at('etc/apt/keyrings'), { recursive: true });
    copyFileSync(join(folder, 'pbx-bridge.gpg'), machine.at('etc/apt/keyrings/pbx-bridge.gpg'));
    pointTo('file:/srv/apt');
    await apt('update', '-o', 'APT::Update::Error-Mode=any');
    await apt('install', 'pbx-bridge');
    const { output } = await machine.chroot('pbx-bridge', '--version');
    assert.equal(output, `${versions.now}\n`);
  });
  await t.test('the next version is an upgrade, over http, and from the origin that is named', async () => {
    publish(packages.next, 1);
    pointTo(url);
    await apt('update', '-o', 'APT::Update::Error-Mode=any');
    const { output } = await machine.chroot('apt-cache', 'policy', 'pbx-bridge');
    assert.match(output, new RegExp(`Candidate: ${versions.next}[\\s\\S]* ${versions.now} 500`));
    const [, origin = 'none'] = /"origin=([^",]+)/.exec(origins) ?? [];
    const policy = await machine.chroot('apt-cache', 'policy');
    assert.match(policy.output, new RegExp(`\\bo=${origin}\\b`));
    assert.match(await apt('--only-upgrade', 'install', 'pbx-bridge'), /Setting up pbx-bridge/);
  });
  await t.test('what somebody else has changed or signed is refused', async () => {
    const index = 'dists/stable/main/binary-amd64/Packages.gz';
    const kept = readFileSync(join(folder, index));
    const update = () =>
      machine.chroot(
        'sh',
        '-c',
        'rm -rf /var/lib/apt/lists/*; apt-get update -o APT::Update::Error-Mode=any',
      );
    appendFileSync(join(folder, index), 'x');
    const changed = await update();
    assert.notEqual(changed.code, 0, changed.output);
    writeFileSync(join(folder, index), kept);
    assert.equal((await update()).code, 0);
    layOutRepository(folder, [], { keyFile: `${keyFile}.other`, at: Math.floor(at) + 2 });
    const forged = await update();
    assert.notEqual(forged.code, 0);
    assert.match(forged.output, /NO_PUBKEY|Missing key|not signed|public key is not available/);
  });
}

/** Serves the files of a folder over http. Gives its address. */
async function serveFiles(t: TestContext, folder: string): Promise<string> {
  const server = createServer(async (request, response) => {
    const file = await readFile(join(folder, decodeURI(request.url ?? ''))).catch(() => undefined);
    response.writeHead(file === undefined ? 404 : 200).end(file);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
