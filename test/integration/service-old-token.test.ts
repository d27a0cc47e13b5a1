import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDirectory } from '../../src/service/accounts/directory.ts';
import { createKeys } from '../../src/service/accounts/keys.ts';
import { event, serve } from '../tools/service/harness.ts';
import { browse, systemsIn } from '../tools/service/people.ts';
import { bearer, screenEvents } from '../tools/service/stream.ts';
import { until } from '../tools/until.ts';

test('a token changes without an outage: the page shows who still uses the old one, and ends it', async (t) => {
  const served = await serve(t);
  const { a, url, post } = served;
  const { read, send } = await browse(served, 'Eve');
  const get = async (path: string) => (await read(path)).text;
  const [path = ''] = systemsIn(await get('/integrations'));
  const tokenOn = (page: string) => /cia_[0-9a-f]{80}/.exec(page)?.[0] ?? '';

  assert.doesNotMatch(await get(path), /The old token still works/);
  for (const days of ['7.1', '-1', 'x']) assert.equal((await send(`${path}/rotate`, { days })).status, 422);
  assert.equal((await send(`${path}/rotate`, { days: '2' })).status, 303);
  const page = await get(path);
  assert.match(page, /The old token still works until/);
  assert.match(page, /not used since/);
  assert.notEqual(tokenOn(page), a.token);

  const screen = screenEvents(url, bearer(a.token));
  await screen.next();
  for (const token of [a.token, tokenOn(page)]) assert.equal((await post(token, event())).status, 200);
  const oldToken = async () => (await get(path)).split('The old token still works')[1] ?? '';
  await until('its use to be shown', async () => /127\.0\.0\.1</.test(await oldToken()), { state: oldToken });

  assert.equal((await send(`${path}/end-old`)).status, 303);
  assert.doesNotMatch(await get(path), /The old token still works/);
  assert.equal((await post(a.token, event({ status: 'answered' }))).status, 401);
  assert.equal((await post(tokenOn(page), event({ status: 'answered' }))).status, 200);
  for (let next = await screen.next(); !next.done; ) next = await screen.next();
});

test('/admin: an overlap of up to seven days, who uses the old token, and its end; only one old token is accepted', async (t) => {
  const { a, url, ask, post } = await serve(t);
  const admin = (path: string, method = 'GET', body?: unknown) =>
    ask(`${url}/admin/integrations${path}`, { token: a.admin, method, body });
  const [{ uid } = { uid: '' }] = (await admin('')).json as { uid: string }[];
  type View = { token: string; old_token_until: string | null; old_token_uses: { address: string }[] };
  assert.equal((await admin(`/${uid}/rotate`, 'POST', { old_token_days: 8 })).status, 422);
  const first = (await admin(`/${uid}/rotate`, 'POST', { old_token_days: 7 })).json as View;
  const left = Date.parse(first.old_token_until ?? '') - Date.now();
  assert.ok(left > 6.9 * 86_400_000 && left <= 7 * 86_400_000);
  assert.deepEqual(first.old_token_uses, []);
  assert.equal((await post(a.token, event())).status, 200);
  const used = async () => ((await admin(`/${uid}`)).json as View).old_token_uses[0]?.address;
  assert.equal(await until('its use to be known', used), '127.0.0.1');

  const early = await admin(`/${uid}/rotate`, 'POST', { old_token_days: 1 });
  assert.equal(early.status, 409);
  assert.ok(early.text.includes(`still accepted until ${first.old_token_until}`), early.text);
  assert.equal((await post(a.token, event())).status, 200, 'as long as was promised');
  await admin(`/${uid}/old-token`, 'DELETE');
  const second = (await admin(`/${uid}/rotate`, 'POST', { old_token_days: 1 })).json as View;
  assert.deepEqual(second.old_token_uses, [], 'of the token before, not of the one before that');
  const statuses = [a.token, first.token, second.token].map(async (of) => (await post(of, event())).status);
  assert.deepEqual(await Promise.all(statuses), [401, 200, 200]);
  const ended = (await admin(`/${uid}/old-token`, 'DELETE')).json as View;
  assert.deepEqual([ended.old_token_until, ended.token], [null, undefined], 'a token is shown once');
  assert.equal((await post(first.token, event())).status, 401);
});

test('an old token ends by itself, its use is noted once a minute for each address, and a token switched off is not accepted', async () => {
  const keys = createKeys(Buffer.alloc(32, 1));
  const account = { id: 1, uid: 'a'.repeat(16), name: 'A', country: null, timeZone: null, tokenCounter: 1 };
  const integration = {
    id: 2,
    uid: 'b'.repeat(16),
    account: 1,
    name: 'PBX',
    tokenCounter: 2,
    oldTokenUntil: 200_000,
    enabled: true,
    createdAt: 0,
  };
  let now = 0;
  let version = 0;
  const noted: string[] = [];
  const store = {
    directory: {
      read: async () => {
        version += 1;
        return {
          version,
          directory: {
            siteTokens: { operator: 0, fleet: 0 },
            accounts: [account],
            integrations: [{ ...integration }],
            extensions: new Map(),
          },
        };
      },
      oldTokenUsed: async (_of: unknown, address: string, at: number) => void noted.push(`${address} ${at}`),
    },
  };
  const directory = await openDirectory(store as never, keys, () => now);
  const old = keys.integrationToken({ ...integration, tokenCounter: 1 });
  for (now = 0; now < 200_000; now += 50_000)
    for (const address of ['10.0.0.1', '10.0.0.2'])
      assert.equal(directory.authenticate(old, address)?.integration.id, 2);
  assert.deepEqual(
    noted.filter((entry) => entry.startsWith('10.0.0.1')),
    ['10.0.0.1 0', '10.0.0.1 100000'],
  );
  assert.equal(noted.length, 4);
  now = 200_000;
  assert.equal(directory.authenticate(old, '10.0.0.1'), undefined);
  now = -8 * 86_400_000;
  assert.equal(directory.authenticate(old, '10.0.0.1'), undefined, 'replaced while the clock was ahead');
  assert.equal(directory.authenticate(keys.integrationToken(integration))?.integration.id, 2);
  now = 0;
  integration.enabled = false;
  await directory.refresh();
  assert.equal(directory.authenticate(old), undefined);
});
