import assert from 'node:assert/strict';
import { argon2Sync } from 'node:crypto';
import { test } from 'node:test';
import { createPasswords } from './password.ts';

const passwords = createPasswords();

test('only the right password matches; equal passwords have different hashes', async () => {
  const stored = await passwords.hash('correct horse battery');
  assert.match(stored, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  assert.notEqual(await passwords.hash('correct horse battery'), stored);
  assert.equal(await passwords.verify('correct horse battery', stored), true);
  assert.equal(await passwords.verify('correct horse batterz', stored), false);
  assert.equal(await passwords.verify('', stored), false);
  await assert.rejects(passwords.verify('x', 'x'), /not an Argon2id hash/);
});

test('composed and decomposed characters are the same', async () => {
  const stored = await passwords.hash('gr\u00fc\u00dfe aus k\u00f6ln');
  assert.equal(await passwords.verify('gru\u0308\u00dfe aus ko\u0308ln', stored), true);
});

test('without a stored password nothing matches', async () => {
  assert.equal(await passwords.verify('', null), false);
});

test('a hash of another cost still matches', async () => {
  const nonce = Buffer.from('somesalt');
  const tag = argon2Sync('argon2id', {
    message: Buffer.from('password'),
    nonce,
    parallelism: 1,
    tagLength: 16,
    memory: 8,
    passes: 1,
  });
  const stored = `$argon2id$v=19$m=8,t=1,p=1$${nonce.toString('base64')}$${tag.toString('base64')}`;
  assert.equal(await passwords.verify('password', stored), true);
  assert.equal(await passwords.verify('passwort', stored), false);
});
