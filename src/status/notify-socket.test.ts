import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openNotifyReceiver } from './notify-receiver.fixture.ts';
import { openNotifySocket } from './notify-socket.ts';

const folder = mkdtempSync(join(tmpdir(), 'notify-'));
test.after(() => rmSync(folder, { recursive: true }));

for (const path of [join(folder, 'notify'), `@pbx-bridge-test-${process.pid}`])
  test(`one datagram per notification, at ${path.startsWith('@') ? 'an abstract name' : 'a path'}`, (t) => {
    const receiver = openNotifyReceiver(path);
    t.after(() => receiver.close());
    const send = openNotifySocket(path);
    send('READY=1\nSTATUS=äöü');
    send('WATCHDOG=1');
    assert.deepEqual(receiver.take(), ['READY=1\nSTATUS=äöü', 'WATCHDOG=1']);
  });

test('without a receiver it throws; with one it works again', (t) => {
  const path = join(folder, 'later');
  const send = openNotifySocket(path);
  assert.throws(() => send('READY=1'), /does not accept/);
  const receiver = openNotifyReceiver(path);
  t.after(() => receiver.close());
  send('READY=1');
  assert.deepEqual(receiver.take(), ['READY=1']);
});

test('a path that is too long for a socket is refused', () => {
  assert.throws(() => openNotifySocket(`/${'x'.repeat(107)}`), /too long/);
});
