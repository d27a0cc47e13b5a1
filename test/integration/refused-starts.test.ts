import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { runProgram, temporaryFolder } from '../tools/program/program.ts';

const bridge = {
  AMI_PORT: '1',
  AMI_USERNAME: 'bridge',
  AMI_SECRET: 'sesame',
  AGI_LISTEN: 'off',
  STATUS_LISTEN: 'off',
  API_BASE_URL: 'http://127.0.0.1:1/api/v1',
  API_TOKEN: 'token',
};

/** What keeps a program from starting: its settings in a folder, and the whole of what it must say. */
const refused: Readonly<
  Record<
    string,
    { command: 'run' | 'service'; prepare(folder: string): Record<string, string>; says: RegExp }
  >
> = {
  'a file where the state folder should be': {
    command: 'run',
    prepare(folder) {
      writeFileSync(join(folder, 'state'), '');
      return { ...bridge, STATE_DIR: join(folder, 'state') };
    },
    says: /^pbx-bridge: \/.*\/state must be a folder, and a file is in its place: move it away, or name another folder\n$/,
  },
  'a database that is none': {
    command: 'service',
    prepare(folder) {
      mkdirSync(join(folder, 'state'));
      writeFileSync(join(folder, 'state/service.db'), 'x'.repeat(8192));
      return { SERVICE_STATE_DIR: join(folder, 'state'), SERVICE_LISTEN: '127.0.0.1:0' };
    },
    says: /^pbx-bridge: .*service\.db is damaged \(file is not a database\): restore a backup, with pbx-bridge service restore FILE --replace\n$/,
  },
  'a PostgreSQL that does not answer': {
    command: 'service',
    prepare: (folder) => ({
      SERVICE_STATE_DIR: folder,
      SERVICE_LISTEN: '127.0.0.1:0',
      DATABASE_URL: 'postgres://pbx:secret@127.0.0.1:1/pbx',
    }),
    says: /^pbx-bridge: the database of DATABASE_URL cannot be used: connect ECONNREFUSED 127\.0\.0\.1:1; start it, or correct DATABASE_URL\n$/,
  },
};

for (const [what, { command, prepare, says }] of Object.entries(refused))
  test(`${what}: one line with what to do`, async (t) => {
    const folder = temporaryFolder(t);
    const program = runProgram([command], { cwd: folder, env: { LOG_FORMAT: 'json', ...prepare(folder) } });
    assert.equal((await program.ended).code, 1);
    assert.match(program.output(), says);
  });

test('a port that another program uses: one line that names the setting', async (t) => {
  const folder = temporaryFolder(t);
  const other = createServer().listen(0, '127.0.0.1');
  t.after(() => other.close());
  await once(other, 'listening');
  const { port } = other.address() as { port: number };
  const env = { SERVICE_STATE_DIR: folder, SERVICE_LISTEN: `127.0.0.1:${port}`, LOG_FORMAT: 'json' };
  const program = runProgram(['service'], { cwd: folder, env });
  assert.equal((await program.ended).code, 1);
  const last = program.output().trimEnd().split('\n').at(-1);
  assert.equal(
    last,
    `pbx-bridge: SERVICE_LISTEN: port ${port} is used by another program: end it (as root, ss -ltnp names it), or choose another port`,
  );
});

test('a service that cannot listen names the setting, the address and what it should be', async (t) => {
  const folder = temporaryFolder(t);
  // Of the documentation's network: no machine has it.
  const env = { SERVICE_STATE_DIR: folder, SERVICE_LISTEN: '192.0.2.1:8080' };
  const program = runProgram(['service'], { cwd: folder, env });
  assert.deepEqual(await program.ended, { code: 1, signal: null });
  assert.match(
    program.output(),
    /^pbx-bridge: SERVICE_LISTEN: cannot listen on 192\.0\.2\.1:8080 \(EADDRNOTAVAIL\): choose an address of this machine, /m,
  );
});
