import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { StoreUnavailable } from '../../../shared/storage/storage-error.ts';
import { failureOf, openDatabase } from './database.ts';
import { findPrimary } from './primary.ts';

/** A message of the protocol: its letter, its length, what it is. */
function message(letter: string, content: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(content.length + 4);
  return Buffer.concat([Buffer.from(letter), length, content]);
}

test('a server that dies as soon as it has taken a connection is unavailable, and ends nothing', async (t) => {
  // Both in one piece, which a real server does at times, but not on demand.
  const readyAndGone = Buffer.concat([
    message('R', Buffer.alloc(4)),
    message('Z', Buffer.from('I')),
    message(
      'E',
      Buffer.from('SFATAL\0C57P01\0Mterminating connection due to unexpected postmaster exit\0\0'),
    ),
  ]);
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(readyAndGone));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as { port: number };
  const database = openDatabase(findPrimary([`postgres://pbx@127.0.0.1:${port}/calls`]), 1);
  await assert.rejects(database.rows('SELECT 1'), StoreUnavailable);
  await database.close();
});

test('a shutdown is not called a standby that did not confirm', () => {
  assert.match(failureOf({ code: '57P01', routine: 'ProcessInterrupts' }) ?? '', /shutting down/);
  assert.match(failureOf({ code: '57P01' }) ?? '', /shutting down/);
  for (const code of ['57P01', '01000'])
    assert.match(failureOf({ code, routine: 'SyncRepWaitForLSN' }) ?? '', /synchronous standby/);
  assert.equal(failureOf({ code: '00000', routine: 'exec_simple_query' }), undefined);
});
