import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createKeys, serverSecret } from '../../src/service/accounts/keys.ts';
import type { DatabaseSettings } from '../../src/service/database/open-store.ts';
import { type ServiceOptions, startService } from '../../src/service/service.ts';
import { type Log, silentLog } from '../../src/shared/log/log.ts';
import { command } from '../tools/service/commands.ts';
import { callers, event, options, serve, stateFolder } from '../tools/service/harness.ts';
import { browse, withStore } from '../tools/service/people.ts';
import { until } from '../tools/until.ts';

const ROUNDS = 15;

type Open = (
  t: TestContext,
  stateDir: () => string,
) => Promise<{ readonly database: DatabaseSettings; sql(text: string): Promise<unknown> }>;

type Listed = { readonly uid: string; readonly name: string };

/** A service with the accounts Alpha and Beta; with PostgreSQL, `elsewhere` is a second process. */
async function start(t: TestContext, open: Open) {
  let stateDir = '';
  const { database, sql } = await open(t, () => stateDir);
  const served = { ...(await serve(t, { database })), database };
  stateDir = served.stateDir;
  const other = database && (await startService({ ...options(stateDir), database }, { log: silentLog }));
  t.after(() => other?.stop());
  const operator = createKeys(serverSecret(stateDir)).operatorToken(0);
  const admin = async (path: string, method = 'GET', body?: unknown, token = operator, at = served.url) =>
    served.ask(`${at}/admin${path}`, { token, method, ...(body !== undefined && { body }) });
  const accounts = async () => (await admin('/accounts')).json as Listed[];
  const uidOf = async (name: string) =>
    (await accounts()).find((account) => account.name === name)?.uid ?? assert.fail(`no account ${name}`);
  const run = (...line: string[]) => command({ stateDir, database }, ...line);
  return { served, sql, admin, accounts, uidOf, run, operator, elsewhere: other?.url ?? served.url };
}

/** Whose account is whose, with each engine, also when two change it at the same moment. */
export function accountTests(engine: string, open: Open): void {
  test(`${engine}: a start that cannot listen makes no account, and two at the same moment make one`, async (t) => {
    const stateDir = stateFolder(t);
    const { database } = await open(t, () => stateDir);
    const busy = createServer().listen(0, '127.0.0.1');
    t.after(() => busy.close());
    await once(busy, 'listening');
    const taken = { host: '127.0.0.1', port: (busy.address() as AddressInfo).port };
    const said: string[] = [];
    const log: Log = { say: (code) => void said.push(code), child: () => log };
    const directory = join(stateDir, 'backups');
    const backups = database === null ? { directory, keep: 1 } : undefined;
    const begin = async (change: Partial<ServiceOptions> = {}) => {
      const service = await startService({ ...options(stateDir), database, backups, ...change }, { log });
      t.after(() => service.stop());
      return service;
    };
    const accounts = () =>
      withStore(
        { stateDir, database },
        async ({ directory }) => (await directory.read(0))?.directory.accounts,
      );

    await assert.rejects(begin({ listen: taken }), /SERVICE_LISTEN: port \d+ is used by another program/);
    assert.deepEqual(await accounts(), []);
    assert.ok(!existsSync(directory), 'nor a backup of nothing');
    assert.ok(!said.includes('service.first-start'), 'no account is announced');

    // With SQLite the second is refused, since the first holds the state folder.
    const both = await Promise.allSettled([begin(), begin()]);
    const begun = both.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    assert.equal(begun.length, database === null ? 1 : 2);
    assert.equal(begun.filter(({ firstStart }) => firstStart).length, 1);
    assert.equal((await accounts())?.length, 1);
    for (const { url } of begun)
      assert.equal((await callers(url).post(begun[0]?.token() ?? '', event())).status, 200);
  });

  test(`${engine}: no account takes the name or the uid of another`, async (t) => {
    const { served, admin, accounts, uidOf } = await start(t, open);
    const [alpha, beta] = [await uidOf('Alpha'), await uidOf('Beta')];
    for (const name of ['Beta', 'beta', 'Newco', beta, 'Alpha 2']) {
      const { status, text } = await admin('/account', 'PATCH', { name, country: 'NL' }, served.a.admin);
      assert.equal(status, 403, text);
      assert.match(text, /Only the operator/);
    }
    assert.deepEqual(
      (await accounts()).map(({ name }) => name),
      ['Alpha', 'Beta'],
    );
    const same = await admin('/account', 'PATCH', { name: 'Alpha', country: 'NL' }, served.a.admin);
    assert.deepEqual([same.status, (same.json as { country: string }).country], [200, 'NL']);

    const eve = await browse(served, 'Eve');
    const form = { account: 'Newco', country: 'NL', zone: '', within: '20', crm: '' };
    assert.equal((await eve.send('/account/settings', form)).status, 303);
    assert.equal((await accounts())[0]?.name, 'Alpha');
    assert.ok((await eve.read('/account')).text.includes('<b><bdi>Alpha</bdi></b>'));

    for (const name of ['Beta', ' beta ', 'B\u200beta', '\uff22eta', 'BETA\u00a0'])
      for (const [path, method] of [
        [`/accounts/${alpha}`, 'PATCH'],
        ['/accounts', 'POST'],
      ] as const)
        assert.equal((await admin(path, method, { name })).status, 409, `${method} ${name}`);
    for (const name of [
      beta,
      beta.toUpperCase(),
      `${beta.slice(0, 8)}\u200b${beta.slice(8)}`,
      'f'.repeat(16),
    ])
      for (const [path, method] of [
        [`/accounts/${alpha}`, 'PATCH'],
        ['/accounts', 'POST'],
      ] as const) {
        const { status, text } = await admin(path, method, { name });
        assert.equal(status, 422, text);
        assert.match(text, /looks like the uid/);
      }
    for (const name of ['ALPHA', 'Gamma']) {
      const { status, json } = await admin(`/accounts/${alpha}`, 'PATCH', { name, most_users: 9 });
      assert.deepEqual([status, (json as Listed).name], [200, name]);
    }
  });

  test(`${engine}: of all who give one name at the same moment, one does`, async (t) => {
    const { admin, uidOf, accounts, run, operator, elsewhere } = await start(t, open);
    const [alpha, beta] = [await uidOf('Alpha'), await uidOf('Beta')];
    for (let round = 0; round < ROUNDS; round += 1) {
      const name = `Name ${round}`;
      const answers = [
        admin(`/accounts/${alpha}`, 'PATCH', { name }),
        admin(`/accounts/${beta}`, 'PATCH', { name: name.toUpperCase() }, operator, elsewhere),
        admin('/accounts', 'POST', { name }),
        admin('/accounts', 'POST', { name: `${name}\u200b` }, operator, elsewhere),
      ].map(async (answer) => (await answer).status);
      const commands = [
        run('account', 'add', name),
        run('account', 'set', '--account', alpha, '--name', `name  ${round}`),
      ].map((done) =>
        done.then(
          () => 200,
          ({ message }: Error) => (/^There is an account/.test(message) ? 409 : assert.fail(message)),
        ),
      );
      const statuses = await Promise.all([...answers, ...commands]);
      const named = (await accounts()).filter((one) => one.name.toLowerCase().startsWith(`name ${round}`));
      const own = named.filter((one) => one.name.replace('\u200b', '').length === name.length);
      assert.equal(own.length, 1, `${statuses} ${JSON.stringify(named)}`);
      assert.deepEqual(
        statuses.filter((status) => status > 201 && status !== 409),
        [],
      );
    }
  });

  test(`${engine}: of two who replace a token at the same moment, one does, and the old one works as long as announced`, async (t) => {
    const { served, admin, run, elsewhere } = await start(t, open);
    const { a, ask, url } = served;
    const eve = await browse(served, 'Eve');
    const [system] = (await admin('/integrations', 'GET', undefined, a.admin)).json as Listed[];
    const path = `/integrations/${system?.uid}`;
    const accepted = async (token: string, at: string) =>
      (await ask(`${at}/api/v1/voice/priority?number=%2B4930901820`, { token })).status;
    const rotate = async (at: string) => {
      const { status, json } = await admin(`${path}/rotate`, 'POST', { old_token_days: 7 }, a.admin, at);
      return { ok: status === 200, said: status, token: (json as { token?: string }).token };
    };
    const ways = {
      here: () => rotate(url),
      elsewhere: () => rotate(elsewhere),
      page: async () => {
        const { status } = await eve.send(`${path}/rotate`, { days: '7' });
        return { ok: status === 303, said: status, token: undefined };
      },
      command: () =>
        run('token', 'PBX 1', '--rotate', '--keep-old', '7').then(
          (text) => ({ ok: true, said: 200, token: /cia_[0-9a-f]{80}/.exec(text)?.[0] }),
          ({ message }: Error) => {
            assert.match(message, /replaced a moment ago|still accepted until/);
            return { ok: false, said: 409, token: undefined };
          },
        ),
    };
    let { token } = a;
    for (const [one, two] of [
      ['here', 'elsewhere'],
      ['here', 'here'],
      ['page', 'elsewhere'],
      ['page', 'page'],
      ['here', 'command'],
      ['elsewhere', 'here'],
    ] as const) {
      const both = await Promise.all([ways[one](), ways[two]()]);
      const what = `${one} and ${two}: ${both.map(({ said }) => said)}`;
      assert.equal(both.filter(({ ok }) => ok).length, 1, what);
      for (const { said } of both) assert.ok([200, 303, 409, 422].includes(said), what);
      const shown = both.find(({ ok }) => ok)?.token;
      const current = shown ?? /cia_[0-9a-f]{80}/.exec((await eve.read(path)).text)?.[0] ?? '';
      for (const at of new Set([url, elsewhere])) {
        await until('the new token to be known', async () => (await accepted(current, at)) === 200);
        assert.equal(await accepted(token, at), 200, `${what}: the token in use`);
      }
      assert.equal((await rotate(url)).said, 409, 'sent once more');
      assert.equal(await accepted(token, url), 200);
      assert.equal((await admin(`${path}/old-token`, 'DELETE', undefined, a.admin)).status, 200);
      await until('its end to be known', async () => (await accepted(token, elsewhere)) === 401);
      token = current;
    }
    assert.equal((await rotate(url)).said, 200);
    assert.equal((await admin(`${path}/rotate`, 'POST', {}, a.admin)).status, 200, 'all end at once');
    assert.equal(await accepted(token, url), 401);
  });

  test(`${engine}: no two answers have one new token of an account or of the operator`, async (t) => {
    const { served, admin, uidOf, run, operator, elsewhere } = await start(t, open);
    const beta = await uidOf('Beta');
    for (let round = 0; round < ROUNDS; round += 1) {
      const answers = await Promise.all(
        [served.url, elsewhere, served.url].map((at) =>
          admin(`/accounts/${beta}/rotate`, 'POST', undefined, operator, at),
        ),
      );
      const tokens = answers.flatMap(({ status, json }) =>
        status === 200 ? [(json as { admin_token: string }).admin_token] : (assert.equal(status, 409) ?? []),
      );
      assert.ok(tokens.length > 0);
      assert.equal(new Set(tokens).size, tokens.length, 'each answer has a token of its own');
      const isValid = async (token: string) =>
        (await admin('/account', 'GET', undefined, token)).status === 200;
      const valid = async () => (await Promise.all(tokens.map(isValid))).filter(Boolean).length;
      await until('one of them to be valid', async () => (await valid()) === 1);
    }
    for (const which of ['operator', 'fleet']) {
      const both = await Promise.allSettled([1, 2].map(() => run('account', `${which}-token`, '--rotate')));
      const printed = both.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      assert.ok(printed.includes(await run('account', `${which}-token`)));
      assert.equal(new Set(printed).size, printed.length);
    }
  });

  test(`${engine}: of two who remove the last two accounts at the same moment, one leaves an account`, async (t) => {
    const { served, admin, uidOf, accounts, elsewhere, operator } = await start(t, open);
    const [alpha, beta] = [await uidOf('Alpha'), await uidOf('Beta')];
    const both = await Promise.all([
      admin(`/accounts/${alpha}`, 'DELETE', undefined, operator, served.url),
      admin(`/accounts/${beta}`, 'DELETE', undefined, operator, elsewhere),
    ]);
    assert.deepEqual(both.map(({ status }) => status).toSorted(), [204, 409]);
    const [late] = both.filter(({ status }) => status === 409);
    assert.match(late?.text ?? '', /is the only account now: everything in it is removed/);
    const left = await accounts();
    assert.equal(left.length, 1);
    const { status, text } = await admin(`/accounts/${left[0]?.uid}`, 'DELETE');
    assert.deepEqual([status, /is the only account/.test(text)], [409, true]);
  });

  test(`${engine}: a command takes a uid for the account that has it, and refuses a name that two have`, async (t) => {
    const { sql, uidOf, admin, run, accounts } = await start(t, open);
    const [alpha, beta] = [await uidOf('Alpha'), await uidOf('Beta')];
    const tokenOf = async (account: string) => run('account', 'admin-token', '--account', account);
    // As a database of 1.0.0 may have it.
    await sql(`UPDATE accounts SET name = '${beta}' WHERE uid = '${alpha}'`);
    assert.match(await tokenOf(beta), new RegExp(`^adm_${beta}`));
    await sql(`UPDATE accounts SET name = 'bETA' WHERE uid = '${alpha}'`);
    const ambiguous = new RegExp(`2 accounts "Beta": give a uid instead \\(${alpha}, ${beta}\\)`);
    for (const line of [
      ['account', 'admin-token', '--account', 'Beta'],
      ['account', 'remove', 'Beta', '--yes'],
      ['account', 'export', 'Beta', '-'],
      ['token', '--account', 'Beta'],
      ['user', 'add', 'Mallory', '--account', 'Beta'],
      ['setup', 'Beta', '--administrator', 'Mallory'],
    ])
      await assert.rejects(run(...line), { message: ambiguous }, line.join(' '));
    for (const uid of [alpha, beta]) {
      assert.match(await tokenOf(uid), new RegExp(`^adm_${uid}`));
      assert.match(await run('setup', uid, '--integration', 'PBX 1'), /^nothing to change/);
    }
    assert.equal((await admin(`/accounts/${alpha}`, 'PATCH', { name: 'Alpha' })).status, 200);
    assert.match(await tokenOf('beta'), new RegExp(`^adm_${beta}`));

    assert.match(await run('setup', 'Newco', '--dry-run'), /would add account Newco/);
    await assert.rejects(run('setup', 'f'.repeat(16), '--dry-run'), /looks like the uid/);
    assert.match(await run('setup', 'Newco'), /^add account Newco/);
    assert.match(await run('setup', 'newco '), /^nothing to change/);
    assert.equal((await accounts()).length, 3);
  });
}
