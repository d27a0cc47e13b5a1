import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Secret, TOTP } from 'otpauth';
import { command } from '../tools/service/commands.ts';
import { serve } from '../tools/service/harness.ts';
import { browse, form, password, visitor } from '../tools/service/people.ts';

/** A service with the administrator Owner, whose second factor is on. */
async function setUp(t: TestContext) {
  const served = await serve(t);
  const { ask, url } = served;
  const owner = await browse(served, 'Owner');
  const { read, send } = owner;
  const cookies = (answer: { headers: Record<string, unknown> }) =>
    [answer.headers['set-cookie'] ?? []]
      .flat()
      .map((line) => String(line).split(';')[0])
      .join('; ');
  const isSignedIn = async (cookie: string) =>
    (await ask(`${url}/account`, { headers: { cookie } })).status === 200;
  const elsewhere = cookies(await ask(`${url}/sign-in`, form(url, { name: 'Owner', password })));
  assert.ok(await isSignedIn(elsewhere));
  const offered = (await read('/security/second-factor')).text;
  assert.match(offered, /<svg viewBox="0 0 \d+ \d+"/);
  const factor = /name="factor" value="(\w+)"/.exec(offered)?.[1] ?? '';
  const key = /<pre id="secret"[^>]*>([A-Z2-7 ]+)</.exec(offered)?.[1]?.replaceAll(' ', '') ?? '';
  const app = new TOTP({ secret: Secret.fromBase32(key) });
  const enable = (current: string, code: string) =>
    send('/security/second-factor', { factor, current, code });
  assert.equal((await enable('wrong', app.generate())).status, 422);
  assert.equal((await enable(password, '123')).status, 422);
  const enabled = await enable(password, app.generate());
  assert.equal(enabled.status, 200);
  assert.equal(await isSignedIn(elsewhere), false, 'sessions that began without a code end');
  const recovery = enabled.text.match(/[a-z2-7]{4}(-[a-z2-7]{4}){3}/g) ?? [];
  assert.equal(recovery.length, 10);
  assert.doesNotMatch(
    (await read('/security/second-factor')).text,
    /<svg viewBox|[a-z2-7]{4}(-[a-z2-7]{4}){3}/,
  );

  return {
    served,
    owner,
    recovery,
    cookies,
    isSignedIn,
    // Of the code before, the one of now and the next, the one before is wrong as soon as 30 seconds are over.
    nextCode: () => app.generate({ timestamp: Date.now() + 30_000 }),
    /** The first step; gives the browser's cookies. */
    async withPassword() {
      const answer = await ask(`${url}/sign-in`, form(url, { name: 'Owner', password, to: '/calls' }));
      assert.deepEqual([answer.status, answer.headers.location], [303, '/sign-in?to=%2Fcalls']);
      assert.doesNotMatch(cookies(answer), /session|browser/);
      return cookies(answer);
    },
    /** The second. */
    withCode: (given: string, cookie: string) =>
      ask(`${url}/sign-in/code`, form(url, { code: given, to: '/calls' }, { cookie })),
  };
}

test('a user with a second factor signs in with password and code, or with a recovery code once', async (t) => {
  const { served, withPassword, withCode, nextCode, recovery, isSignedIn, cookies } = await setUp(t);
  const half = await withPassword();
  assert.equal(await isSignedIn(half), false);
  const asked = await served.ask(`${served.url}/sign-in?to=/calls`, { headers: { cookie: half } });
  assert.match(asked.text, /name="code"[\s\S]*one-time-code/);
  assert.equal((await withCode('000000', half)).status, 401);
  const right = nextCode();
  const answer = await withCode(right, half);
  assert.deepEqual([answer.status, answer.headers.location], [303, '/calls']);
  assert.ok(await isSignedIn(cookies(answer)));
  assert.equal((await withCode(right, await withPassword())).status, 401, 'a code is right once');

  const [first = '', second = ''] = recovery;
  const forged = half.replace(/=[0-9a-f]{16}/, `=${'0'.repeat(16)}`);
  for (const cookie of ['', forged]) {
    const sent = await withCode(second, cookie);
    assert.deepEqual([sent.status, sent.headers.location], [303, '/sign-in?to=%2Fcalls']);
    assert.doesNotMatch(cookies(sent), /session/);
  }
  assert.ok(await isSignedIn(cookies(await withCode(first.toUpperCase(), await withPassword()))));
  assert.equal((await withCode(first, await withPassword())).status, 401);
});

test('codes can be wrong ten times, from all addresses, with the right password in between', async (t) => {
  const { withPassword, withCode, nextCode } = await setUp(t);
  for (let n = 0; n < 10; n += 1) assert.equal((await withCode('000000', await withPassword())).status, 401);
  assert.equal((await withCode(nextCode(), await withPassword())).status, 429);
});

test('what is kept between password and code ends with a new password', async (t) => {
  const { withPassword, withCode, nextCode, owner } = await setUp(t);
  const half = await withPassword();
  const change = { current: password, password: 'another few words' };
  assert.equal((await owner.send('/account/password', change)).status, 303);
  assert.equal((await withCode(nextCode(), half)).headers.location, '/sign-in?to=%2Fcalls');
});

test('a one-time link replaces the password, not the code; a command switches the second factor off', async (t) => {
  const { served, withCode, nextCode, isSignedIn, cookies } = await setUp(t);
  const { ask, url } = served;
  const open = async (printed: string) =>
    ask(`${url}/sign-in/link`, form(url, { link: /\/sign-in#([\w.]+)/.exec(printed)?.[1] ?? '' }));
  const half = cookies(await open(await command(served, 'link')));
  assert.equal(await isSignedIn(half), false);
  assert.ok(await isSignedIn(cookies(await withCode(nextCode(), half))));
  assert.match(await command(served, 'user', 'list'), /password \+ code {2}Owner/);
  const cookie = cookies(await open(await command(served, 'user', 'reset', 'Owner', '--second-factor')));
  const welcome = await ask(`${url}/account`, { headers: { cookie } });
  assert.equal(welcome.headers.location, '/welcome', 'signed in, without a code');
});

test('what is kept between a link and the code ends with a reset, also if there was no password before', async (t) => {
  const { served, withCode, nextCode, cookies } = await setUp(t);
  const open = async (printed: string) => {
    const link = /\/sign-in#([\w.]+)/.exec(printed)?.[1] ?? '';
    return cookies(await served.ask(`${served.url}/sign-in/link`, form(served.url, { link })));
  };
  const half = await open(await command(served, 'user', 'reset', 'Owner'));
  const next = await open(await command(served, 'user', 'reset', 'Owner'));
  assert.equal((await withCode(nextCode(), half)).headers.location, '/sign-in?to=%2Fcalls');
  assert.equal((await withCode(nextCode(), next)).headers.location, '/calls');
});

test('it is switched off with the password, or by another administrator', async (t) => {
  const { served, owner, withCode } = await setUp(t);
  const page = async () => (await owner.read('/security/second-factor')).text;
  assert.equal((await owner.send('/security/second-factor/off', { current: 'wrong' })).status, 422);
  assert.match(await page(), /second-factor\/off/);
  const adam = await browse(served, 'Adam');
  assert.equal((await adam.send(`/users/${owner.user.uid}/second-factor-off`)).status, 303);
  assert.match(await page(), /<h2>Switch on/);
  assert.equal((await withCode('', owner.cookie)).status, 303);
  await visitor(served, 'Owner');
});
