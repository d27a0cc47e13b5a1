import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Connection, createServer } from 'mysql2';
import { createMysqlLink, type MysqlOptions } from './mysql-connection.ts';

/** The server's end of a connection, of which the types say less. */
type ServerSide = Connection & { readonly stream: Socket; sequenceId: number };

type Login = { readonly user: string; readonly database: string; readonly authToken: Buffer };

function folderFor(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'mysql-connection-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

const handshake = {
  protocolVersion: 10,
  serverVersion: '10.11.0-MariaDB',
  connectionId: 1,
  statusFlags: 2,
  characterSet: 33,
  capabilityFlags: 0xff_f7_ff,
};
const datetime = {
  catalog: 'def',
  schema: '',
  table: '',
  orgTable: '',
  name: 'at',
  orgName: '',
  characterSet: 33,
  columnLength: 19,
  columnType: 12,
  flags: 0,
  decimals: 0,
};
const rows = [{ at: '2026-11-02 10:00:00' }];
const rowsTo = (connection: ServerSide) => connection.writeTextResult(rows, [datetime]);

/** A server on a socket that answers queries like this, and a link to it. */
function serve(
  t: TestContext,
  answer: (connection: ServerSide, sql: string) => void,
  { deadlineMs, ...options }: Partial<MysqlOptions> & { deadlineMs?: number } = {},
) {
  const connections: ServerSide[] = [];
  /** User, database, and whether there was a password. */
  const logins: [string, string, boolean][] = [];
  const server = createServer((connection) => {
    const side = connection as ServerSide;
    connections.push(side);
    // Packets are counted from 0 again for each query.
    side.on('query', (sql: string) => {
      answer(side, sql);
      side.sequenceId = 0;
    });
    side.on('error', () => {});
    const authCallback = ({ user, database, authToken }: Login, accept: () => void) => {
      logins.push([user, database, authToken.length > 0]);
      accept();
      side.sequenceId = 0;
    };
    side.serverHandshake({ ...handshake, authCallback });
  });
  const socket = join(folderFor(t), 'socket');
  const listen = () => server.listen(socket as unknown as number);
  t.after(() => server.close(() => {}));
  const to = {
    host: 'nowhere.invalid',
    port: 1,
    socket,
    user: 'reader',
    database: 'a',
    table: 'x',
    ...options,
  };
  const link = createMysqlLink(to, deadlineMs);
  t.after(link.close);
  return { listen, link, connections, logins };
}

test('a connection that has ended or had an error is opened again, and closed at the end', async (t) => {
  const { listen, link, connections } = serve(t, (connection, sql) =>
    sql === 'wrong' ? connection.writeError({ message: 'wrong', code: 1064 }) : rowsTo(connection),
  );
  await assert.rejects(link.query('SELECT 1'), { code: 'ENOENT' });
  listen();
  await link.query('SELECT 1');
  const [first] = connections as [ServerSide];
  first.stream.end();
  await once(first.stream, 'close');
  await link.query('SELECT 2');
  await assert.rejects(link.query('wrong'), { message: 'wrong' });
  await link.query('SELECT 3');
  assert.equal(connections.length, 3);
  const [, , last] = connections as [ServerSide, ServerSide, ServerSide];
  await Promise.all([once(last.stream, 'close'), link.close()]);
});

test('a server that does not answer is given up, and asked on a new connection', async (t) => {
  const { listen, link, connections } = serve(
    t,
    (connection) => connections.length > 1 && rowsTo(connection),
    { deadlineMs: 500 },
  );
  listen();
  await assert.rejects(link.query('SELECT 1'), { message: 'no answer within 0.5 s' });
  assert.deepEqual(await link.query('SELECT 1'), rows);
  assert.equal(connections.length, 2);
});

for (const [password, message] of [
  ['hunter2', 'denied: [secret], not [secret]'],
  ['', 'denied: hunter2, not hunter2'],
] as const)
  test(`a server's error does not show the password '${password}'`, async (t) => {
    const { listen, link, logins } = serve(
      t,
      (connection) => connection.writeError({ message: 'denied: hunter2, not hunter2', code: 1045 }),
      { password },
    );
    listen();
    await assert.rejects(link.query('SELECT 1'), { message });
    assert.deepEqual(logins, [['reader', 'a', password !== '']]);
  });
