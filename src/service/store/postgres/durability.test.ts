import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aboutServer, refusalOf, type ServerSettings } from './durability.ts';

const good: ServerSettings = {
  server_version: '15.18 (Debian 15.18-0+deb12u1)',
  server_version_num: '150018',
  server_encoding: 'UTF8',
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  synchronous_standby_names: '',
  is_standby: false,
};

test('a server that cannot be trusted with an event is refused', () => {
  assert.equal(refusalOf(good), undefined);
  const bad: [Partial<ServerSettings>, RegExp][] = [
    [{ fsync: 'off' }, /fsync=off/],
    [{ server_version_num: '120022', server_version: '12.22' }, /12\.22 is too old/],
    [{ server_encoding: 'SQL_ASCII' }, /UTF8/],
    [{ is_standby: true }, /standby/],
  ];
  for (const [change, said] of bad) assert.match(refusalOf({ ...good, ...change }) ?? '', said);
});

test('what an acknowledged event survives is said as the server is set up', () => {
  const rows: [Partial<ServerSettings>, boolean, RegExp][] = [
    [{}, true, /one database server \(no synchronous standby\).*not the loss of that disk/],
    [{ synchronous_commit: 'off' }, false, /in the memory of the database's machine/],
    [
      { synchronous_standby_names: 'b' },
      true,
      /on the disk of the primary and on the disk of its synchronous standbys \(.* = b\): it survives the loss/,
    ],
    [
      { synchronous_standby_names: 'b', synchronous_commit: 'local' },
      true,
      /one database server \(synchronous_commit=local\)/,
    ],
    [
      { synchronous_standby_names: 'b', synchronous_commit: 'remote_write' },
      true,
      /in the memory of its synchronous/,
    ],
    [
      { synchronous_standby_names: 'b', synchronous_commit: 'off' },
      false,
      /in the memory of the database's machine/,
    ],
    [{ synchronous_standby_names: 'ANY 1 (b, c)' }, true, /standbys \(.* = ANY 1 \(b, c\)\)/],
    [{ full_page_writes: 'off' }, false, /full_page_writes=off/],
  ];
  for (const [change, safe, said] of rows) {
    const about = aboutServer({ ...good, ...change });
    assert.equal(about.engine, 'PostgreSQL 15.18');
    assert.equal(about.safe, safe, JSON.stringify(change));
    assert.match(about.survives, said);
  }
});
