import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { version } from '../../src/shared/process/version.ts';
import { freePort } from '../tools/free-port.ts';
import { startCluster } from '../tools/servers/cluster.ts';
import { startReceiver } from '../tools/service/webhook-receiver.ts';
import { until } from '../tools/until.ts';
import { firstDay, password, type ServiceKeys, secondDay } from './service-scene.ts';
import { afterMigration, statementsIn } from './statements.ts';

/**
 * `node test/released/make.ts`: makes the databases of this version, to be kept in test/released/VERSION. Run it with
 * the tree of a release, once: what is there is never made again.
 */
const folder = fileURLToPath(new URL(`${version}/`, import.meta.url));
const cli = fileURLToPath(new URL('../../src/cli.ts', import.meta.url));
const recorder = fileURLToPath(new URL('record-statements.ts', import.meta.url));
const stops: (() => Promise<void>)[] = [];
const scratch = mkdtempSync(join(tmpdir(), 'released-'));

mkdirSync(folder, { recursive: true });
// What all versions of the same major version keep.
copyFileSync(
  fileURLToPath(new URL('../generated/stable.json', import.meta.url)),
  join(folder, 'stable.json'),
);
try {
  await makeService('sqlite');
  const cluster = await startCluster({ timezone: 'UTC' });
  stops.push(cluster.remove);
  const url = await cluster.database();
  await makeService('postgres', url);
  const dump = cluster.run(
    'pg_dump',
    '--inserts',
    '--rows-per-insert=50',
    '--no-owner',
    '--no-privileges',
    url,
  );
  // These lines have a random key, and are for psql.
  writeFileSync(join(folder, 'service-postgres.sql'), dump.replace(/^\\(un)?restrict .*\n/gm, ''));
  await makeOutbox();
} finally {
  for (const stop of stops.reverse()) await stop();
  rmSync(scratch, { recursive: true });
}

/** Both days of the scene; the first was two days ago. */
async function makeService(engine: 'sqlite' | 'postgres', url?: string): Promise<void> {
  const stateDir = join(scratch, engine);
  const statements = join(scratch, `${engine}.jsonl`);
  const receiver = await startReceiver({ after: (stop) => void stops.push(stop) });
  const port = await freePort();
  const env = {
    PATH: process.env.PATH,
    STATEMENTS: statements,
    STATEMENTS_ON: 'service.db',
    SERVICE_STATE_DIR: stateDir,
    SERVICE_LISTEN: `127.0.0.1:${port}`,
    SERVICE_WEBHOOK_NETWORKS: '127.0.0.1',
    SERVICE_COUNTRY: 'DE',
    // Nothing listens there: no mail is due.
    SMTP_URL: 'smtp://127.0.0.1:9',
    MAIL_FROM: 'pbx@office.example',
    ...(url !== undefined && { DATABASE_URL: url }),
  };
  const at = `http://127.0.0.1:${port}`;
  const run = (...args: string[]) =>
    execFileSync(process.execPath, [cli, 'service', ...args], { env, encoding: 'utf8' }).trim();

  async function day(daysAgo: number, scene: () => Promise<void>): Promise<void> {
    const clock = `data:text/javascript,const n=Date.now;Date.now=()=>n()-${daysAgo * 86_400_000}`;
    const program = spawn(process.execPath, ['--import', clock, '--import', recorder, cli, 'service'], {
      env,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    const ended = once(program, 'exit');
    const answers = () =>
      fetch(`${at}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      );
    try {
      await until('the service to answer', answers);
      await scene();
    } finally {
      program.kill('SIGTERM');
      await ended;
    }
  }

  let keys: Omit<ServiceKeys, 'adminToken'> | undefined;
  let first: Awaited<ReturnType<typeof firstDay>> | undefined;
  await day(2, async () => {
    const token = /API_TOKEN=(\S+)/.exec(run('token'))?.[1] ?? '';
    keys = { operatorToken: run('account', 'operator-token'), token, name: 'Anna', password };
    first = await firstDay(at, keys);
  });
  if (keys === undefined || first === undefined) throw new Error('there was no first day');
  const [known, given] = [keys, first];
  await day(0, () => secondDay(at, { keys: known, day: given, receiver, tries: url === undefined ? 3 : 1 }));
  const all: ServiceKeys = { ...keys, adminToken: given.first };
  writeFileSync(join(folder, `service-${engine}.json`), `${JSON.stringify(all, undefined, 2)}\n`);
  copyFileSync(join(stateDir, 'service-secret'), join(folder, `service-${engine}.secret`));
  keepStatements(`service-${engine}`, statements);
  if (engine === 'sqlite') keepDatabase(join(stateDir, 'service.db'), 'service.db');
}

async function makeOutbox(): Promise<void> {
  const statements = join(scratch, 'outbox.jsonl');
  const stateDir = join(scratch, 'bridge');
  const script = fileURLToPath(new URL('make-outbox.ts', import.meta.url));
  execFileSync(process.execPath, ['--import', recorder, script, stateDir], {
    env: { PATH: process.env.PATH, STATEMENTS: statements, STATEMENTS_ON: 'outbox.db' },
    stdio: 'inherit',
  });
  keepStatements('outbox', statements);
  keepDatabase(join(stateDir, 'outbox.db'), 'outbox.db');
}

function keepStatements(name: string, path: string): void {
  const recorded = afterMigration(statementsIn(readFileSync(path, 'utf8')));
  keep(`${name}.statements.jsonl`, Buffer.from(recorded.map((one) => `${JSON.stringify(one)}\n`).join('')));
}

/** All of it is in the one file. */
function keepDatabase(path: string, name: string): void {
  const db = new DatabaseSync(path);
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
  keep(name, readFileSync(path));
}

function keep(name: string, content: Buffer): void {
  writeFileSync(join(folder, `${name}.gz`), gzipSync(content, { level: 9 }));
}
