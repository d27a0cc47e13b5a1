import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { Command } from 'commander';
import { firstAccount } from './accounts/directory.ts';
import { serverSecret } from './accounts/keys.ts';
import { CommandRefused } from './commands/command-context.ts';
import { addServiceCommands } from './commands.ts';
import { openSqliteStore } from './database/sqlite-store.ts';
import { csvOf, customer } from './people/customer.fixture.ts';
import { type Customer, columns } from './people/customer-fields.ts';

/** A folder as the service's first start leaves it, and a command line on it. */
async function commandLine(
  t: TestContext,
  { started = true, terminal = true, segment = '', customers = [] as Customer[] } = {},
) {
  const stateDir = mkdtempSync(join(tmpdir(), 'commands-'));
  t.after(() => rmSync(stateDir, { recursive: true }));
  if (started) {
    serverSecret(stateDir);
    const store = await openSqliteStore(join(stateDir, 'service.db'));
    const first = await firstAccount(store, 'DE', 0);
    if (first && segment) await store.customers.putSegment(first.account.id, { name: segment, priority: 1 });
    if (first) await store.customers.put(first.account.id, customers);
    await store.close();
  }
  /** What a command prints. */
  return async (line: string[], input = ''): Promise<string> => {
    let printed = '';
    const out = new Writable({
      write(chunk, _encoding, done) {
        printed += chunk;
        done();
      },
    });
    const program = new Command().exitOverride().configureOutput({ writeErr: () => {} });
    addServiceCommands(program, {
      options: () => ({
        listen: { host: '::', port: 8080 },
        hosts: [],
        stateDir,
        database: null,
        retention: {},
      }),
      alerts: () => ({ alerts: { mail: [], webhook: undefined, afterMs: 0 }, mail: undefined }),
      run: async (running) =>
        running({ url: 'http://x', token: () => 'the-token', link: async () => 'the-link' }),
      out: Object.assign(out, { isTTY: terminal }),
      exit: () => {},
      in: Readable.from([input]),
      about: () => ({ version: 'test', settings: () => ({ lines: [], secrets: [] }) }),
    });
    await program.parseAsync(['service', ...line], { from: 'user' });
    return printed;
  };
}

test('before the first start, commands say what creates the data', async (t) => {
  const run = await commandLine(t, { started: false });
  await assert.rejects(
    run(['token']),
    (error: unknown) =>
      error instanceof CommandRefused &&
      /^no service data in .*; pbx-bridge service creates it$/.test(error.message),
  );
});

test('link and token print instructions; a rotated token is different', async (t) => {
  const run = await commandLine(t);
  assert.match(
    await run(['link']),
    /http:\/\/127\.0\.0\.1:8080\/sign-in#[0-9a-f]{16}\.\d+\.\d+\.[0-9a-f]{64}\n$/,
  );
  const tokenIn = (printed: string) => /API_TOKEN=(cia_[0-9a-f]{80})\n/.exec(printed)?.[1];
  const printed = await run(['token']);
  assert.match(printed, /curl http:\/\/127\.0\.0\.1:8080\/api\/v1\/voice\/call /);
  assert.equal(tokenIn(await run(['token', 'Phone system'])), tokenIn(printed));
  const rotated = tokenIn(await run(['token', '--rotate']));
  assert.notEqual(rotated, tokenIn(printed));
  assert.equal(tokenIn(await run(['token'])), rotated);
  await assert.rejects(run(['token', 'Nobody']), /there is no integration "Nobody"/);

  const kept = await run(['token', '--rotate', '--keep-old', '0.5']);
  assert.match(kept, /The old token is accepted until 2\S+Z\. It has not been used since\.\n$/);
  assert.equal(await run(['token']), kept, 'until it ends');
  assert.match(
    await run(['integration', 'list']),
    / {2}on {3}.*\n {4}The old token is accepted until 2\S+Z\. It has not been used since\.\n$/,
  );
  assert.match(await run(['token', '--end-old']), /\n\nThe old token is no longer accepted\.\n$/);
  assert.doesNotMatch(await run(['token']), /old token/);
  assert.doesNotMatch(await run(['integration', 'list']), /old token/);
  await assert.rejects(
    run(['token', '--rotate', '--keep-old', '8']),
    /not a number of days from 0 to 7: "8"/,
  );
  await assert.rejects(run(['token', '--keep-old', '1']), /--keep-old is for --rotate/);
});

test('accounts and integrations are added, listed, changed and switched off', async (t) => {
  const run = await commandLine(t);
  const added = await run(['account', 'add', 'Branch', '--country', 'NL']);
  assert.match(added, /^[0-9a-f]{16} {2}NL {2}Branch\n$/);
  assert.equal(
    await run(['account', 'list']),
    `${(await run(['account', 'list'])).split('\n')[0]}\n${added}`,
  );
  await run([
    'account',
    'set',
    '--account',
    'Branch',
    '--name',
    'Office',
    '--country',
    'BE',
    '--time-zone',
    'Europe/Brussels',
  ]);
  assert.match(await run(['account', 'list']), /DE {2}Main\n.*BE {2}Office\n$/);
  await assert.rejects(run(['account', 'set', '--country', 'XX']), /not a two-letter country code: "XX"/);
  await assert.rejects(run(['account', 'set', '--time-zone', '+01:00']), /not a time zone: "\+01:00"/);

  assert.match(await run(['integration', 'add', 'Second', '--account', 'Office']), /API_TOKEN=cia_/);
  await run(['integration', 'off', 'Second', '--account', 'Office']);
  assert.match(
    await run(['integration', 'list', '--account', 'Office']),
    /on {3}Phone system\n[0-9a-f]{16} {2}off {2}Second\n$/,
  );
  await run(['integration', 'on', 'Second', '--account', 'Office']);
  assert.doesNotMatch(await run(['integration', 'list', '--account', 'Office']), /off/);
  await assert.rejects(run(['integration', 'off', 'Second']), /there is no integration "Second"/);

  const admin = await run(['account', 'admin-token']);
  assert.match(admin, /^adm_[0-9a-f]{80}\n$/);
  assert.notEqual(await run(['account', 'admin-token', '--rotate']), admin);
  for (const [command, prefix] of [
    ['operator-token', 'opr'],
    ['fleet-token', 'flt'],
  ] as const) {
    const first = await run(['account', command]);
    assert.match(first, new RegExp(`^${prefix}_[0-9a-f]{64}\n$`));
    assert.equal(await run(['account', command]), first);
    const second = await run(['account', command, '--rotate']);
    assert.match(second, new RegExp(`^${prefix}_[0-9a-f]{64}\n$`));
    assert.notEqual(second, first);
    assert.equal(await run(['account', command]), second);
  }
  await assert.rejects(run(['token', '--account', 'Nobody']), /there is no account "Nobody"/);
});

test('an account is limited, exported and removed; nothing is added twice', async (t) => {
  const run = await commandLine(t);
  await run(['account', 'add', 'Branch', '--country', 'NL']);
  await assert.rejects(run(['account', 'add', 'Branch']), /There is an account "Branch"/);
  const ofBranch = ['--account', 'Branch'];
  await assert.rejects(
    run(['integration', 'add', 'Phone system', ...ofBranch]),
    /there is an integration "Phone system"; service token prints its token/,
  );
  await run(['account', 'set', ...ofBranch, '--users', '1', '--requests-per-minute', '600']);
  await assert.rejects(
    run(['account', 'set', '--users', '0']),
    /not a whole number from 1 to 999999, nor none: "0"/,
  );
  await run(['user', 'add', 'Anna', '--administrator', ...ofBranch]);
  await assert.rejects(run(['user', 'add', 'Bert', ...ofBranch]), /may have 1 user, and has as many/);
  assert.match(await run(['fleet']), /Branch {2}1 user of 1 {2}0 customers\n/);
  await run(['account', 'set', ...ofBranch, '--users', 'none']);
  assert.doesNotMatch(await run(['fleet']), /Branch {2}1 user/);
  const json = async (...line: string[]) =>
    JSON.parse(await run([...line, '--json'])) as Record<string, unknown>[];
  assert.deepEqual(
    (await json('account', 'list')).map(({ name, requests_per_minute: most }) => [name, most]),
    [
      ['Main', null],
      ['Branch', 600],
    ],
  );
  assert.deepEqual((await json('user', 'list', ...ofBranch))[0]?.name, 'Anna');
  assert.deepEqual((await json('integration', 'list', ...ofBranch))[0]?.enabled, true);

  const folder = mkdtempSync(join(tmpdir(), 'exported-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'branch.jsonl');
  assert.match(await run(['account', 'export', 'Branch', file]), /branch\.jsonl has everything of Branch/);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const tables = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((row) => JSON.parse(row).table);
  assert.deepEqual(tables.sort(), [
    'accounts',
    'audit',
    'audit',
    'audit',
    'audit',
    'audit',
    'audit',
    'integrations',
    'users',
  ]);
  await assert.rejects(
    run(['account', 'export', 'Branch', file]),
    /branch\.jsonl exists: choose another file/,
  );
  await assert.rejects(
    run(['account', 'remove', 'Branch']),
    /nothing was removed; --yes removes Branch \(\w+\): 1 user,/,
  );
  assert.match(await run(['account', 'remove', 'Branch', '--yes']), /^removed Branch/);
  assert.deepEqual((await json('account', 'list')).length, 1);
  await assert.rejects(run(['account', 'remove', 'Main', '--yes']), /Main is the only account/);
});

test('users are added with a link, listed, reset and removed', async (t) => {
  const run = await commandLine(t);
  const way =
    /^Sign-in link \(works once, within 15 minutes\): http:\/\/127\.0\.0\.1:8080\/sign-in#[0-9a-f]{16}\.\d+\./;
  assert.match(await run(['user', 'add', 'Anna', '--administrator']), way);
  assert.match(await run(['user', 'add', 'bert@example.com']), way);
  await assert.rejects(run(['user', 'add', 'ANNA']), /the name "ANNA" is already in use/);
  await assert.rejects(run(['user', 'add', '\u200b']), /characters that cannot be used here|required/);
  await assert.rejects(run(['user', 'add', 'a\u0007']), /must not hold control characters/);
  assert.equal(
    await run(['user', 'list']),
    'administrator  no password yet  Anna\nagent          no password yet  bert@example.com\n',
  );
  const uidIn = (printed: string) => /#([0-9a-f]{16})/.exec(printed)?.[1];
  const again = await run(['user', 'reset', 'anna']);
  assert.match(again, way);
  assert.equal(uidIn(await run(['link'])), uidIn(again), 'the link is for the first administrator');
  await run(['account', 'add', 'Branch']);
  await assert.rejects(run(['user', 'reset', 'Anna', '--account', 'Branch']), /there is no user "Anna"/);
  await assert.rejects(run(['user', 'remove', 'Anna']), /"Anna" is the only administrator of the account/);
  await run(['user', 'remove', 'bert@example.com']);
  await assert.rejects(run(['user', 'remove', 'bert@example.com']), /there is no user "bert@example.com"/);
  await run(['link', '--account', 'Branch']);
  assert.equal(
    await run(['user', 'list', '--account', 'Branch']),
    'administrator  no password yet  Administrator\n',
  );
});

test('segments and customers are set, imported, exported and removed', async (t) => {
  const run = await commandLine(t);
  await run(['segments', 'set', 'Gold', '20']);
  await run(['segments', 'set', 'Lead', '-5']);
  assert.equal(await run(['segments', 'list']), '20  Gold\n-5  Lead\n');
  await assert.rejects(run(['segments', 'set', 'Gold', 'high']), /not a whole number: "high"/);
  await run(['segments', 'remove', 'Lead']);
  await assert.rejects(run(['segments', 'remove', 'Lead']), /there is no segment "Lead"/);

  const table = csvOf(customer({ reference: '7', segment: 'Gold', numbers: ['+4930901820'] }));
  assert.equal(await run(['customers', 'import', '-'], table), '1 imported, 0 refused\n');
  assert.equal(await run(['customers', 'export']), table);
  const file = join(mkdtempSync(join(tmpdir(), 'csv-')), 'customers.csv');
  t.after(() => rmSync(join(file, '..'), { recursive: true }));
  await run(['customers', 'export', file]);
  assert.equal(readFileSync(file, 'utf8'), table);
  await run(['customers', 'remove', '7']);
  await assert.rejects(run(['customers', 'remove', '7']), /there is no customer "7"/);
  assert.equal(await run(['customers', 'import', file]), '1 imported, 0 refused\n');
  writeFileSync(file, 'reference,name,numbers\n8,Ann,word\n');
  await assert.rejects(run(['customers', 'import', file]), /some values could not be imported/);
  writeFileSync(file, 'reference,name,segment,number\n8,Ann,,030 901829\n');
  assert.equal(
    await run(['customers', 'import', file]),
    `columns that are not known, and not imported: number (known are ${columns},country)\nline 2: Column “number” is not imported, but seems to have phone numbers: 030 901829.\n1 imported, 0 refused\n`,
  );
  await assert.rejects(
    run(['customers', 'import', '-'], 'reference,phone\n8,030 901829\n'),
    /The first line must name the columns/,
  );
  writeFileSync(file, 'reference,numbers\n8,41446681800\n');
  assert.equal(
    await run(['customers', 'import', file]),
    'line 2: numbers: “41446681800” is read as +4941446681800, but can also be +41446681800. Write it with +, or as it is dialled in the country.\n1 imported, 0 refused, 1 to check\n',
  );
  writeFileSync(file, Buffer.from('reference,name\n8,Müller\n', 'latin1'));
  assert.equal(await run(['customers', 'import', file]), '1 imported, 0 refused\n');
  assert.match(await run(['customers', 'export']), /^8,Müller,/m);
  writeFileSync(file, Buffer.from('reference,name\n9,Szõke\n', 'latin1'));
  await assert.rejects(
    run(['customers', 'import', file]),
    /damaged \(Szõke\).*name its encoding with --charset/,
  );
  await assert.rejects(run(['customers', 'import', file, '--charset', 'dos']), /the encoding dos is unknown/);
  assert.equal(
    await run(['customers', 'import', file, '--charset', 'windows-1250']),
    '1 imported, 0 refused\n',
  );
  assert.match(await run(['customers', 'export']), /^9,Szőke,/m);
  writeFileSync(file, 'reference,numbers\n,word\n');
  await assert.rejects(run(['customers', 'import', file]), /some lines could not be imported/);
  await assert.rejects(
    run(['customers', 'import', '-'], 'no,table\n'),
    /The first line must name the columns/,
  );
  await assert.rejects(run(['customers', 'import', join(file, 'x')]), /ENOTDIR|ENOENT/);
});

test('audit lists what the commands have changed, and by whom', async (t) => {
  const run = await commandLine(t);
  const secrets: string[] = [];
  for (const line of [
    'user add Anna --administrator',
    'user reset Anna',
    'link',
    'token --rotate',
    'token --rotate --keep-old 1',
    'token --end-old',
    'account admin-token --rotate',
    'account set --country NL',
    'integration add Second',
    'integration off Second',
    'segments set Gold 20',
    'segments remove Gold',
    'customers export',
    'user add Bert',
    'user remove Bert',
  ])
    secrets.push(...((await run(line.split(' '))).match(/[0-9a-f]{64}/g) ?? []));
  await run(['customers', 'import', '-'], 'reference,numbers\n7,110\n');
  await run(['customers', 'remove', '7']);
  assert.match(await run(['forget', '030 901820']), /^removed from calls \(0\), .*\nBackups/);
  await run(['account', 'add', 'Elsewhere']);
  assert.match(
    await run(['forget', '030 901820', '--account', 'Elsewhere']),
    /^Nothing has the number 030901820\. Give it with \+ and the country code: the account has no country\.\n/,
  );
  await assert.rejects(run(['forget', 'nobody']), /not a phone number: "nobody"/);
  const printed = await run(['audit']);
  assert.ok(secrets.length >= 5 && secrets.every((secret) => !printed.includes(secret)));
  const { username } = userInfo();
  const entries = printed.trim().split('\n').reverse();
  assert.deepEqual(
    entries.map((line) =>
      line
        .replace(/^\S+Z {2}/, '')
        .replace(/until \S+Z/, 'until (time)')
        .replace(`command  ${username}  `, ''),
    ),
    [
      'User added  Anna: administrator',
      'One-time link created  Anna',
      'Password reset  Anna',
      'One-time link created  Anna',
      'One-time link created  Anna',
      'Token created or replaced  integration Phone system: token replaced',
      'Token created or replaced  integration Phone system: token replaced, the old one is accepted until (time)',
      'Token created or replaced  integration Phone system: old token ended',
      'Token created or replaced  administration token replaced',
      'Settings changed  account Main, country NL',
      'Token created or replaced  integration Second added',
      'Settings changed  integration Second: off',
      'Settings changed  segment Gold: priority 20',
      'Removed  segment Gold',
      'Data exported  customers',
      'User added  Bert: agent',
      'One-time link created  Bert',
      'Removed  user Bert',
      'Customers imported  1 imported, 0 refused',
      'Removed  customer 7',
      'Number forgotten  removed from calls (0), requests (0), customers (0) and other texts (0)',
    ],
  );
  assert.match(
    await run(['audit', '--kind', 'reset', '--who', username]),
    /^\S+ .*Password reset {2}Anna\n$/,
  );
  assert.equal(await run(['audit', '--unknown']), '');
  assert.equal((await run(['audit', '--limit', '2'])).split('\n').length, 3);
});

test('no name acts on the terminal: new ones are refused, old ones are printed harmless', async (t) => {
  const run = await commandLine(t, { segment: 'VIP\x1b[2J\u202e' });
  assert.equal(await run(['segments', 'list']), '1  VIP\\x1b[2J\\u202e\n');
  for (const line of [
    ['segments', 'set', '\x1b[2J', '5'],
    ['account', 'add', 'a\x07'],
    ['account', 'set', '--name', 'a\x07'],
    ['integration', 'add', 'Ren\ufffd'],
    ['user', 'add', 'a\u202eb'],
  ])
    await assert.rejects(run(line), CommandRefused, line.join(' '));
});

test('setup: account, integration and administrator, once; a dry run and a second run change nothing', async (t) => {
  const run = await commandLine(t, { started: false });
  const line = ['setup', 'Acme', '--country', 'NL', '--administrator', 'Eve'];
  const all = ['add account Acme', 'add integration Phone system', 'add administrator Eve'];
  const would = `${all.map((it) => `would ${it}`).join('\n')}\n`;
  assert.equal(await run([...line, '--dry-run']), would);
  await assert.rejects(run(['account', 'list']), /no service data/, 'the dry run has made none');
  const first = await run(line);
  assert.match(first, /^add account Acme\nadd integration Phone system\nadd administrator Eve\n/);
  const [token] = /^API_TOKEN=\w+$/m.exec(first) ?? [];
  assert.match(first, /^Sign-in link \(works once, within 7 days\): http\S+\/sign-in#/m);
  const second = await run(line);
  assert.match(second, /^nothing to change\n/);
  assert.equal(/^API_TOKEN=\w+$/m.exec(second)?.[0], token);
  assert.doesNotMatch(second, /Sign-in link/);
  assert.equal(await run([...line.with(3, 'DE'), '--dry-run']), 'would set the country of Acme to DE\n');
  assert.match(await run(line.with(3, 'DE')), /^set the country of Acme to DE\n/);
  assert.match(await run(['account', 'list']), /^\w+ {2}DE {2}Acme\n$/);
  assert.match(await run(['user', 'list']), /^administrator {2}no password yet {2}Eve\n$/);
});

test('digits that are the number of a caller, and another one as they are read, are not forgotten', async (t) => {
  const stranger = customer({ reference: '1', numbers: ['2102345678'] });
  const office = customer({ reference: '2', numbers: ['+492102345678'] });
  const run = await commandLine(t, { customers: [stranger, office] });
  await assert.rejects(
    run(['forget', '2102345678']),
    /"2102345678" can be \+492102345678, or \+2102345678, which is a number of no country\. Give the one that you mean, with its plus\./,
  );
  assert.match(await run(['forget', '+2102345678']), /customers \(1\)/);
  assert.deepEqual((await run(['customers', 'export'])).trim().split('\r\n').slice(1), [
    '2,Ann,,+492102345678,,',
  ]);
  assert.match(await run(['forget', '2102345678']), /customers \(1\)/);
});
