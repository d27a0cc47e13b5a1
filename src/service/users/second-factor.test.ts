import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type TOTP, URI } from 'otpauth';
import { createKeys } from '../accounts/keys.ts';
import type { User } from '../accounts/user.ts';
import type { CredentialStore } from './credential-store.ts';
import { createSecondFactor } from './second-factor.ts';

const keys = createKeys(Buffer.alloc(32, 1));

/** A second factor on a store in memory, with a clock to turn. */
function setUp() {
  const user: { -readonly [K in keyof User]: User[K] } = {
    id: 1,
    uid: 'u',
    account: 1,
    name: 'Ann',
    signInName: 'ann',
    role: 'administrator',
    language: '',
    password: 'x',
    secondFactor: null,
    createdAt: 0,
    linkCounter: 0,
    bar: null,
  };
  const time = { now: 1_700_000_000_000 };
  let [codeStep, codes]: [number, readonly string[]] = [0, []];
  const store = {
    setSecondFactor: async (_id: number, factor: string | null, hashes: readonly string[]) => {
      user.secondFactor = factor;
      [codeStep, codes] = [0, hashes];
    },
    useCodeStep: async (_id: number, step: number, latest: number) => {
      const isRight = step > codeStep || codeStep > latest;
      if (isRight) codeStep = step;
      return isRight;
    },
    useRecoveryCode: async (_id: number, hash: string) => {
      const had = codes.includes(hash);
      codes = codes.filter((other) => other !== hash);
      return had;
    },
  } as unknown as CredentialStore;
  const factor = createSecondFactor(store, keys, () => time.now);
  const session = { id: 's', user, openedAt: 0, usedAt: 0, address: '', browser: '' };
  return { user, session, time, factor, stored: () => [user.secondFactor, ...codes].join(' ') };
}

async function enabled() {
  const set = setUp();
  const { factor, uri, secret } = set.factor.propose(set.user, 'Main');
  const app = URI.parse(uri) as TOTP;
  const code = () => app.generate({ timestamp: set.time.now });
  const recovery = (await set.factor.enable(set.session, factor, code())) ?? assert.fail('not enabled');
  return { ...set, app, code, recovery, secret };
}

test('the app gets a secret of 160 bits, named after the user and the account', async () => {
  const { app, secret, stored } = await enabled();
  assert.equal(app.secret.buffer.byteLength, 20);
  assert.deepEqual([app.label, app.issuer, app.secret.base32], ['Ann', 'Main', secret]);
  assert.ok(!stored().includes(secret) && !stored().includes(app.secret.hex.toLowerCase()));
});

test('it is switched on with a right code only, of this user', async () => {
  const { factor, session, user, time } = setUp();
  const proposed = factor.propose(user, 'Main');
  const other = factor.propose({ ...user, uid: 'other' }, 'Main', proposed.factor);
  const code = (URI.parse(other.uri) as TOTP).generate({ timestamp: time.now });
  assert.equal(await factor.enable(session, proposed.factor, code), undefined);
  assert.equal(await factor.enable(session, proposed.factor, ''), undefined);
  const long = 'a'.repeat(64_000);
  assert.equal(factor.propose(user, 'Main', long).factor.length, 32);
  const right = (URI.parse(proposed.uri) as TOTP).generate({ timestamp: time.now });
  assert.equal(await factor.enable(session, long, right), undefined);
  assert.equal(user.secondFactor, null);
  assert.equal(await factor.verify(user, code), false, 'off: nothing is right');
});

test('each code is right once, for a step before and after its time', async () => {
  const { factor, user, time, code } = await enabled();
  assert.equal(await factor.verify(user, code()), false, 'the one that switched it on is used up');
  time.now += 60_000;
  const next = code();
  assert.equal(await factor.verify(user, '000000'), false);
  time.now -= 30_000;
  assert.equal(await factor.verify(user, `${next.slice(0, 3)} ${next.slice(3)}`), true);
  assert.equal(await factor.verify(user, next), false);
  time.now += 30_000;
  for (let n = 0; n < 2_880; n += 1) {
    time.now += 30_000;
    assert.equal(await factor.verify(user, code()), true, 'every code of a day');
  }
  time.now += 30_000;
  const late = code();
  time.now += 60_000;
  assert.equal(await factor.verify(user, late), false);
});

test('a code that was used while the clock was ahead keeps nobody out once it is right again', async () => {
  const { factor, user, time, code } = await enabled();
  for (const ahead of [365 * 86_400_000, 10 * 60_000]) {
    time.now += 60_000 + ahead;
    assert.equal(await factor.verify(user, code()), true);
    time.now -= ahead;
    assert.equal(await factor.verify(user, code()), true, `${ahead}`);
    assert.equal(await factor.verify(user, code()), false, 'once');
  }
  // A little: the codes since then may have been used.
  time.now += 3 * 60_000;
  assert.equal(await factor.verify(user, code()), true);
  time.now -= 60_000;
  assert.equal(await factor.verify(user, code()), false);
});

test('each of ten recovery codes is right once, however it is typed, and only its hash is stored', async () => {
  const { factor, user, recovery, stored } = await enabled();
  assert.equal(new Set(recovery).size, 10);
  for (const code of recovery) {
    assert.match(code, /^([a-z2-7]{4}-){3}[a-z2-7]{4}$/);
    assert.ok(!stored().includes(code.replaceAll('-', '')));
  }
  const [first = '', second = ''] = recovery;
  assert.equal(await factor.verify(user, ` ${first.toUpperCase().replaceAll('-', ' ')} `), true);
  assert.equal(await factor.verify(user, first), false);
  assert.equal(await factor.verify(user, second), true);
  await factor.disable(user);
  assert.equal(await factor.verify(user, recovery[2] ?? ''), false);
});
