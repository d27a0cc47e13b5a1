import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createKeys, sameText, serverSecret, uidOf } from './keys.ts';

const keys = createKeys(Buffer.alloc(32, 1));
const uid = '0123456789abcdef';

test('a token depends on counter, integration, kind and secret only', () => {
  const token = keys.integrationToken({ uid, tokenCounter: 1 });
  assert.match(token, /^cia_0123456789abcdef[0-9a-f]{64}$/);
  assert.equal(token, keys.integrationToken({ uid, tokenCounter: 1 }));
  const others = [
    keys.integrationToken({ uid, tokenCounter: 2 }),
    keys.integrationToken({ uid: uid.replace('0', '1'), tokenCounter: 1 }),
    keys.adminToken({ uid, tokenCounter: 1 }).replace('adm', 'cia'),
    createKeys(Buffer.alloc(32, 2)).integrationToken({ uid, tokenCounter: 1 }),
  ];
  assert.equal(new Set([token, ...others]).size, 5);
});

test('the uid of a token, or nothing if the text is not a token', () => {
  assert.equal(uidOf(keys.integrationToken({ uid, tokenCounter: 1 })), uid);
  for (const text of [
    '',
    'cia_',
    `cia_${'0'.repeat(79)}`,
    `cia_${'0'.repeat(81)}`,
    `xyz_${'0'.repeat(80)}`,
  ]) {
    assert.equal(uidOf(text), '');
  }
});

test('texts are equal only as a whole', () => {
  assert.equal(sameText('abc', 'abc'), true);
  for (const other of ['abd', 'ab', 'abcd', '', 'äbc']) assert.equal(sameText(other, 'abc'), false);
});

test('the server secret is created once, readable by its owner only', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'secret-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const state = join(folder, 'state');
  const secret = serverSecret(state);
  const file = join(state, 'service-secret');
  assert.equal(secret.length, 32);
  assert.deepEqual([statSync(file).mode & 0o777, statSync(state).mode & 0o777], [0o600, 0o700]);
  assert.deepEqual(serverSecret(state), secret);
  assert.equal(readFileSync(file, 'utf8').trim(), secret.toString('hex'));

  chmodSync(file, 0o640);
  assert.throws(() => serverSecret(state), /other users can read/);
  chmodSync(file, 0o600);
  writeFileSync(file, 'short\n');
  assert.throws(() => serverSecret(state), /does not hold a secret/);
});
