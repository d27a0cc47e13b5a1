import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSource, type SourceOptions } from './open-cdr-source.ts';

const mysql = {
  kind: 'mysql',
  host: '127.0.0.1',
  port: 3306,
  user: 'x',
  database: 'asteriskcdrdb',
  table: 'cdr',
} as const;
const rows: [options: SourceOptions, name: string][] = [
  [{ kind: 'csv', path: '/x/Master.csv' }, '/x/Master.csv'],
  [{ kind: 'sqlite', path: '/x/master.db' }, '/x/master.db'],
  [{ ...mysql, password: 'secret' }, 'asteriskcdrdb.cdr at 127.0.0.1:3306'],
  [{ ...mysql, socket: '/run/mysqld.sock' }, 'asteriskcdrdb.cdr at /run/mysqld.sock'],
];
for (const [options, name] of rows)
  test(`call records are opened and named: ${name}`, async () => {
    const source = await openSource(options);
    assert.equal(source.name, name);
    await source.close();
  });
