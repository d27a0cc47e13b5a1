import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { CallFeed } from '../../src/service/calls/call-store.ts';
import { openPostgresStore } from '../../src/service/database/postgres-store.ts';
import type { Store } from '../../src/service/database/store.ts';
import { postgresImpossible, startCluster, unprivileged } from '../tools/servers/cluster.ts';
import { report } from '../tools/service/recorded-request.ts';

const skip = (await postgresImpossible()) ?? false;
const HOUR_MS = 3_600_000;

test('sslmode=verify-full: only the server that the certificate names is sent anything', {
  skip,
}, async (t) => {
  const { authority, certificate, key } = certificates(t);
  const cluster = await startCluster({ ssl: 'on', ssl_cert_file: certificate, ssl_key_file: key });
  t.after(() => cluster.remove());
  const database = await cluster.database();
  const name = new URL(database).pathname.slice(1);
  const at = (host: string, parameters: string) =>
    `${database.replace('127.0.0.1', host)}?sslmode=verify-full${parameters}`;
  const trusted = `&sslrootcert=${authority}`;

  const store = await open(t, at('localhost', trusted));
  const heard = hears(store.otherProcesses);
  t.after(heard.stop);
  await heard.first;
  await store.directory.addAccount({ uid: 'a', name: 'Main', country: 'DE' });
  const plain = await cluster.sql(
    `SELECT a.query FROM pg_stat_activity a JOIN pg_stat_ssl s USING (pid)
     WHERE a.datname = '${name}' AND a.application_name = 'pbx-bridge service' AND NOT s.ssl`,
  );
  assert.deepEqual(plain, []);
  const encrypted = await cluster.sql('SELECT count(*)::int AS n FROM pg_stat_ssl WHERE ssl');
  assert.ok((encrypted[0]?.n as number) >= 2, 'one that asks, and one that listens');

  await assert.rejects(open(t, at('127.0.0.1', trusted)), /cannot be used: .*(altnames|IP)/i);
  await assert.rejects(open(t, at('localhost', '')), /cannot be used: .*(self.signed|unable to verify)/i);
  const bare = await startCluster();
  t.after(() => bare.remove());
  const unencrypted = (await bare.database()).replace('127.0.0.1', 'localhost');
  await assert.rejects(open(t, `${unencrypted}?sslmode=verify-full${trusted}`), /does not support SSL/i);
});

test('a role that may have three connections: everything is done with them', {
  skip,
}, async (t) => {
  const cluster = await startCluster();
  t.after(() => cluster.remove());
  const database = await cluster.database();
  const name = new URL(database).pathname.slice(1);
  await cluster.sql(`CREATE ROLE few LOGIN CONNECTION LIMIT 3; ALTER DATABASE ${name} OWNER TO few`);
  const store = await openPostgresStore({ url: cluster.url(name, 'few'), secretMark: 'x' });
  t.after(() => store.close());
  const heard = hears(store.otherProcesses);
  t.after(heard.stop);
  await heard.first;
  const { id: account } = await store.directory.addAccount({ uid: 'a', name: 'A', country: 'DE' });
  await store.directory.addIntegration({ uid: 'i', account, name: 'I', createdAt: 0 });
  const work = () =>
    Promise.all(
      Array.from({ length: 60 }, async (_, n) => {
        await report(store, { account, id: `call-${n}`, at: Date.now() });
        await store.calls.get(account, `call-${n}`);
        await store.users.list(account);
      }),
    );
  const used = async () =>
    Number(
      (await cluster.sql(`SELECT count(*)::int AS n FROM pg_stat_activity WHERE usename = 'few'`))[0]?.n,
    );
  for (let round = 0; round < 5; round += 1) await work();
  assert.ok((await used()) <= 3);
  assert.equal((await store.openCalls(account, 100)).length, 60);
  await store.withLock(() => store.users.list(account));
});

async function open(t: TestContext, url: string): Promise<Store> {
  const store = await openPostgresStore({ url, connections: 4, keptMs: 30 * 24 * HOUR_MS, secretMark: 'x' });
  t.after(() => store.close());
  return store;
}

/** Follows the feed, which reports changes of accounts once it listens. */
function hears(feed: CallFeed) {
  const { promise: first, resolve } = Promise.withResolvers<void>();
  const stop = feed.follow(() => [], {
    moved() {},
    missed() {},
    calledBack() {},
    customers() {},
    who() {},
    directory: resolve,
  });
  return { first, stop };
}

/** An authority of our own, and a server's certificate for the name `localhost`. */
function certificates(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'pbx-bridge-certificates-'));
  t.after(() => rmSync(folder, { recursive: true }));
  chmodSync(folder, 0o755);
  const path = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' });
  const make = (name: string, ...args: string[]) =>
    openssl(
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-days',
      '2',
      '-subj',
      `/CN=${name}`,
      '-keyout',
      path(`${name}.key`),
      '-out',
      path(`${name}.pem`),
      ...args,
    );
  make('authority');
  make(
    'server',
    '-CA',
    path('authority.pem'),
    '-CAkey',
    path('authority.key'),
    '-addext',
    'subjectAltName=DNS:localhost',
  );
  const { uid, gid } = unprivileged();
  if (uid !== undefined && gid !== undefined) chownSync(path('server.key'), uid, gid);
  chmodSync(path('server.key'), 0o600);
  return { authority: path('authority.pem'), certificate: path('server.pem'), key: path('server.key') };
}
