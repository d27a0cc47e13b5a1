import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { cdrSection } from './cdr-section.ts';
import { loadConfig } from './env.ts';
import { ConfigError } from './variable.ts';

const load = (environment: Record<string, string>) => loadConfig({ cdr: cdrSection }, environment).cdr;

const mysql = {
  kind: 'mysql',
  host: '127.0.0.1',
  port: 3306,
  socket: undefined,
  tls: undefined,
  user: 'pbx-bridge',
  database: 'asteriskcdrdb',
  table: 'cdr',
  password: 'p@ss/w?rd',
} as const;

const socket = '/run/mysqld/mysqld.sock';
const other = (more: object) => ({ ...mysql, database: 'x', password: undefined, ...more });
const rows: [string, object][] = [
  ['csv:/var/log/a b.csv', { kind: 'csv', path: '/var/log/a b.csv' }],
  ['sqlite:/var/log/asterisk/master.db', { kind: 'sqlite', path: '/var/log/asterisk/master.db' }],
  ['mysql://pbx-bridge@127.0.0.1/asteriskcdrdb', { ...mysql, password: undefined }],
  ['mysql://a%40b@[::1]:3307/x?table=calls', other({ user: 'a@b', host: '::1', port: 3307, table: 'calls' })],
  [`mysql://u@localhost/x?socket=${socket}`, other({ user: 'u', host: 'localhost', socket })],
];
test('CDR_SOURCE=mysql:...?tls=: with the authorities of the system, or the one in a file', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pbx-bridge-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const ca = '-----BEGIN CERTIFICATE-----\n';
  writeFileSync(join(folder, 'ca.pem'), ca);
  const db = { ...mysql, host: 'db.example', password: undefined };
  const tlsOf = (tls: string) =>
    load({ CDR_SOURCE: `mysql://pbx-bridge@db.example/asteriskcdrdb?tls=${tls}` });
  assert.deepEqual(tlsOf('yes'), { ...db, tls: { ca: undefined } });
  assert.deepEqual(tlsOf(join(folder, 'ca.pem')), { ...db, tls: { ca } });
  for (const wrong of ['no', '', join(folder, 'none.pem'), '/etc/hostname'])
    assert.throws(() => tlsOf(wrong), ConfigError, wrong);
});

for (const [source, options] of rows)
  test(`CDR_SOURCE=${source}`, () => assert.deepEqual(load({ CDR_SOURCE: source }), options));

test('the password is a setting of its own, never a part of the URL', () => {
  const CDR_SOURCE = 'mysql://pbx-bridge@127.0.0.1/asteriskcdrdb';
  assert.deepEqual(load({ CDR_SOURCE, CDR_PASSWORD: mysql.password }), mysql);
  const wrong = { CDR_SOURCE: 'mysql://pbx-bridge:secret@127.0.0.1/asteriskcdrdb' };
  assert.throws(
    () => load(wrong),
    (error: ConfigError) => !error.message.includes('secret'),
  );
  assert.throws(() => load({ CDR_SOURCE: 'csv:/x', CDR_PASSWORD: 'x' }), ConfigError);
});

for (const source of [
  'mysql://host/db',
  'mysql://u@host',
  'mysql://u@host/a/b',
  'mysql://u@/db',
  'mysql://u@host/db?tsl=yes',
  'mysql://u@host/db?tls=yes&tls=no',
  'mysql://u@127.0.0.1/db?tls=yes',
  'mysql://u@[::1]/db?tls=yes',
  'mysql://u@host/db?tls=yes&socket=/run/mysqld/mysqld.sock',
  'csv:',
  'odbc:x',
])
  test(`refused CDR_SOURCE: ${source}`, () => assert.throws(() => load({ CDR_SOURCE: source }), ConfigError));
