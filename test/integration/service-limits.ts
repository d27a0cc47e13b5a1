import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { newUid } from '../../src/service/accounts/directory.ts';
import { accountLimits } from '../../src/service/accounts/limits.ts';
import type { DatabaseSettings } from '../../src/service/database/open-store.ts';
import type { Store } from '../../src/service/database/store.ts';
import { addUser } from '../../src/service/users/users.ts';
import { serve } from '../tools/service/harness.ts';
import { browse, linksIn, systemsIn, withStore } from '../tools/service/people.ts';
import { until } from '../tools/until.ts';

type Database = {
  readonly settings: DatabaseSettings;
  /** Writes to the database itself, as version 1.0.0 could. */
  sql(text: string): Promise<unknown>;
};

type Outcome = { readonly ok: boolean; readonly said: string };

const ROUNDS = 25;

/** Numbers from 1 as `i`, for an INSERT. */
const numbers = (count: number) =>
  `(WITH RECURSIVE counted(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM counted WHERE i < ${count}) SELECT i FROM counted) n`;

const fill = {
  segments: (account: number, count: number) =>
    `INSERT INTO segments (account_id, name, priority) SELECT ${account}, 'Old ' || i, 0 FROM ${numbers(count)}`,
  extensions: (account: number, count: number) =>
    `INSERT INTO extensions (account_id, extension, name) SELECT ${account}, '8' || i, 'Desk ' || i FROM ${numbers(count)}`,
  integrations: (account: number, count: number) =>
    `INSERT INTO integrations (uid, account_id, name, created_at)
     SELECT 'old' || i, ${account}, 'Old ' || i, 0 FROM ${numbers(count)}`,
  users: (account: number, count: number) =>
    `INSERT INTO users (uid, account_id, name, sign_in_name, role, created_at)
     SELECT 'old' || i, ${account}, 'Old ' || i, 'old ' || i, 'agent', 0 FROM ${numbers(count)}`,
} as const;

async function start(t: TestContext, open: (t: TestContext, stateDir: () => string) => Promise<Database>) {
  let stateDir = '';
  const { settings, sql } = await open(t, () => stateDir);
  const served = { ...(await serve(t, { database: settings })), database: settings };
  stateDir = served.stateDir;
  const ann = await browse(served, 'Ann');
  const outcome = async (
    answered: Promise<{ status: number; text: string }>,
    isWrong = false,
  ): Promise<Outcome> => {
    const { status, text } = await answered;
    assert.ok(status < 500, `${status} ${text}`);
    return { ok: status < 400 && !isWrong, said: text };
  };
  return {
    served,
    ann,
    sql,
    account: ann.user.account,
    admin: (method: string, path: string, body?: unknown, headers = {}) =>
      outcome(
        served.ask(`${served.url}/admin${path}`, {
          token: served.a.admin,
          method,
          headers,
          ...(body !== undefined && { body }),
        }),
      ),
    page: (path: string, fields: Record<string, string>) => outcome(ann.send(path, fields)),
    /** As a command beside the service. */
    command: (change: Promise<unknown>): Promise<Outcome> =>
      change.then(
        (done) => ({ ok: done !== undefined, said: 'the name is taken' }),
        (error: Error & { statusCode?: number }) => {
          if (!error.statusCode || error.statusCode >= 500) throw error;
          return { ok: false, said: error.message };
        },
      ),
  };
}

type Started = Awaited<ReturnType<typeof start>>;

/** Two integrations of a round. */
let renamed: readonly { readonly id: number }[] = [];

/** What ten people add at the same moment, where there is room for one: the n-th of a round. */
const additions: Readonly<
  Record<
    string,
    {
      room(started: Started, store: Store, round: number): Promise<unknown>;
      add(started: Started, store: Store, round: number): readonly Promise<Outcome>[];
      refused: RegExp;
    }
  >
> = {
  users: {
    room: ({ account }, store, round) => store.directory.changeAccount(account, { mostUsers: round + 2 }),
    add: ({ admin, page, command, account }, store, round) => [
      ...range(14).map((n) => admin('POST', '/users', { name: `Admin ${round} ${n}` })),
      ...range(2).map((n) => page('/users', { name: `Page ${round} ${n}`, role: 'agent', extensions: '' })),
      ...range(4).map((n) =>
        command(
          addUser(store, {
            account: { id: account, mostUsers: 1 },
            name: `Command ${round} ${n}`,
            role: 'agent',
            now: 0,
          }),
        ),
      ),
    ],
    refused: /This account may have \d+ users?, and has as many/,
  },
  'integrations of one name': {
    room: async () => {},
    add: ({ admin, page, command, account }, store, round) => [
      ...range(6).map(() => admin('POST', '/integrations', { name: `One ${round}` })),
      ...range(2).map(() => page('/integrations', { name: `One ${round}` })),
      ...range(2).map(() =>
        command(
          store.directory.addIntegration({ uid: newUid(), account, name: `One ${round}`, createdAt: 0 }),
        ),
      ),
    ],
    refused: /There is an integration \\?"One \d+|This name is already in use/,
  },
  'new names of integrations': {
    room: async ({ command, account }, store, round) => {
      for (const uid of [`a${round}`, `b${round}`])
        await command(store.directory.addIntegration({ uid, account, name: uid, createdAt: 0 }));
      const { directory } = (await store.directory.read(0)) ?? assert.fail('it has not changed');
      renamed = directory.integrations.filter(({ name }) => name === `a${round}` || name === `b${round}`);
      assert.equal(renamed.length, 2);
    },
    add: ({ command }, store, round) =>
      renamed.map(({ id }) =>
        command(store.directory.changeIntegration(id, { name: `New ${round}` }).then(() => true)),
      ),
    refused: /There is an integration "New \d+/,
  },
  'integrations, by number': {
    room: ({ sql, account }) => makeRoom(sql, 'integrations', account),
    add: ({ admin, page, command, account }, store) => [
      ...range(6).map((n) => admin('POST', '/integrations', { name: `New admin ${n}` })),
      ...range(2).map((n) => page('/integrations', { name: `New page ${n}` })),
      ...range(2).map((n) =>
        command(store.directory.addIntegration({ uid: newUid(), account, name: `New ${n}`, createdAt: 0 })),
      ),
    ],
    refused: /at most 200 integrations/,
  },
  segments: {
    room: ({ sql, account }) => makeRoom(sql, 'segments', account),
    add: ({ admin, page, command, account }, store) => [
      ...range(6).map((n) => admin('PUT', `/segments/New%20admin%20${n}`, { priority: 1 })),
      ...range(2).map((n) => page('/segments', { name: `New page ${n}`, priority: '1' })),
      ...range(2).map((n) =>
        command(store.customers.putSegment(account, { name: `New ${n}`, priority: 1 }).then(() => true)),
      ),
    ],
    refused: /at most 200 segments/,
  },
  'segments of tables': {
    room: ({ sql, account }) => makeRoom(sql, 'segments', account),
    add: ({ admin, command, account }, store) => [
      ...range(1).map((n) =>
        admin(
          'POST',
          '/customers?create_segments=true',
          `reference,segment\nr${n},VIP\ns${n},New table ${n}\n`,
          { 'content-type': 'text/csv' },
        ),
      ),
      ...range(4).map((n) => command(store.customers.addSegments(account, [`New ${n}`, 'VIP'], 0))),
    ],
    refused: /names 1 segment that does not exist\. An account can have at most 200 segments/,
  },
  extensions: {
    room: ({ sql, account }) => makeRoom(sql, 'extensions', account),
    add: ({ admin, page, command, account }, store) => [
      ...range(6).map((n) => admin('PUT', `/extensions/70${n}`, { name: 'New' })),
      ...range(2).map((n) => page('/extensions', { extension: `71${n}`, name: 'New', user: '' })),
      ...range(2).map((n) =>
        command(
          store.directory
            .putExtension(account, { extension: `72${n}`, name: 'New', user: null })
            .then(() => true),
        ),
      ),
    ],
    refused: /at most 2000 extensions/,
  },
};

const range = (count: number) => Array.from({ length: count }, (_, n) => n);

/** One less than the account can have. */
async function makeRoom(
  sql: Database['sql'],
  kind: 'segments' | 'extensions' | 'integrations',
  account: number,
): Promise<void> {
  const own = `account_id = ${account}`;
  const others =
    kind === 'segments' ? "name <> 'VIP'" : kind === 'extensions' ? 'true' : "name NOT LIKE 'PBX _'";
  await sql(`DELETE FROM ${kind} WHERE ${own} AND ${others}`);
  const there = { segments: 1, extensions: 0, integrations: 2 }[kind];
  await sql(fill[kind](account, accountLimits[kind] - 1 - there));
}

/** Pages that list or offer what an account has. */
const pages = [
  '/segments',
  '/segments?page=2',
  '/users',
  '/users?users=2',
  '/integrations',
  '/integrations?page=3',
  '/calls',
  '/customers',
  '/customers/new',
  '/account',
  '/account/calls',
  '/reports',
  '/call-back',
];

/** What a page lists or offers: rows, options and boxes. */
const itemsIn = (html: string) =>
  html.match(/<tr\b|<option\b|<details class="card system"|type="checkbox"/g)?.length ?? 0;

/** How each engine keeps to the limits of an account. */
export function limitTests(engine: string, open: Parameters<typeof start>[1]): void {
  test(`${engine}: limits and names hold for requests at the same moment`, async (t) => {
    const started = await start(t, open);
    await withStore(started.served, async (store) => {
      for (const [name, { room, add, refused }] of Object.entries(additions))
        await t.test(name, async () => {
          for (let round = 0; round < ROUNDS; round++) {
            await room(started, store, round);
            const outcomes = await Promise.all(add(started, store, round));
            assert.equal(outcomes.filter(({ ok }) => ok).length, 1, `round ${round}`);
            for (const { ok, said } of outcomes) if (!ok) assert.match(said, refused);
          }
        });
    });
  });

  test(`${engine}: of two who replace the token that their pages show, one gets an error`, async (t) => {
    const { ann } = await start(t, open);
    const [path = ''] = systemsIn((await ann.read('/integrations')).text);
    for (let round = 0; round < ROUNDS; round++) {
      const replaces = /name="replaces" value="(\d+)"/.exec((await ann.read(path)).text)?.[1] ?? '';
      const rotate = () => ann.send(`${path}/rotate`, { days: '0', replaces });
      const answers = await Promise.all([rotate(), rotate()]);
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [303, 422], `round ${round}`);
    }
  });

  test(`${engine}: a table with too many segments stores nothing, and says how many`, async (t) => {
    const { admin, ann, served, account } = await start(t, open);
    const table = (count: number) =>
      `reference,segment\n${range(count)
        .map((n) => `r${n},City ${n}\n`)
        .join('')}`;
    const csv = { 'content-type': 'text/csv' };
    const there = () =>
      withStore(served, async ({ customers }) => ({
        segments: (await customers.segments(account)).length,
        customers: (await Array.fromAsync(customers.all(account))).flat().length,
      }));

    // With the segment VIP that is one too many.
    const tooMany = await admin('POST', '/customers?create_segments=true', table(200), csv);
    assert.equal(tooMany.ok, false);
    assert.match(tooMany.said, /names 200 segments that do not exist\. An account can have at most 200/);
    assert.deepEqual(await there(), { segments: 1, customers: 1 });
    for (const create of [{}, { create: 'yes' }] as Record<string, string>[]) {
      const preview = await ann.send('/customers/import', { table: table(200), ...create });
      assert.match(preview.text, /names 200 segments that do not exist/);
      assert.doesNotMatch(preview.text, /name="create"/);
    }
    assert.deepEqual(await there(), { segments: 1, customers: 1 });

    assert.ok((await admin('POST', '/customers?create_segments=true', table(199), csv)).ok);
    assert.deepEqual(await there(), { segments: 200, customers: 200 });
  });

  test(`${engine}: an account that has more than it can have keeps it, by pages`, async (t) => {
    const { admin, page, ann, sql, served, account } = await start(t, open);
    const many = { segments: 40_000, extensions: 5_000, integrations: 1_000, users: 2_000 } as const;
    for (const [kind, count] of Object.entries(many))
      await sql(fill[kind as keyof typeof fill](account, count));
    const bar = { mine: false, segments: ['Old 777'], integrations: [] };
    await withStore(served, async ({ users, customers, directory }) => {
      await users.setBar(ann.user.id, JSON.stringify(bar));
      await customers.put(account, [{ reference: 'far', name: 'Far', segment: 'Old 777', numbers: [] }]);
      await directory.putExtension(account, { extension: '81', name: 'Changed', user: null });
      assert.equal((await customers.offeredSegments(account, ['Old 777'])).length, 201);
      assert.equal((await customers.segmentPage(account, 201, 400)).length, 201);
    });

    await until(
      'the service to read the integrations',
      async () => (await ann.read('/integrations/old777')).status === 200,
    );
    for (const path of pages) {
      const { status, text, main } = await ann.read(path);
      assert.equal(status, 200, path);
      assert.ok(itemsIn(main) <= 2_300, `${path}: ${itemsIn(main)} rows and options`);
      assert.ok(text.length < 1_000_000, `${path}: ${text.length} bytes`);
      assert.match(text, /data-choice="[^"]*Old 777/, path);
    }
    // Each page has others, and all are on one of them.
    const seen = new Set<string>();
    for (let next: string | undefined = '/segments'; next !== undefined; ) {
      const { main } = await ann.read(next);
      for (const href of linksIn(main, '/segments?edit=')) seen.add(href);
      const number: number = Number(/\d+$/.exec(next)?.[0] ?? 1);
      next = number < 4 ? linksIn(main, `/segments?page=${number + 1}`)[0] : undefined;
    }
    assert.equal(seen.size, 800);
    assert.equal((await ann.read('/segments?page=201')).main.match(/segments\?edit=/g)?.length, 1);
    assert.match(
      (await ann.read('/segments?edit=Old+777')).main,
      /action="\/segments\/remove\?name=Old\+777"/,
    );
    assert.match((await ann.read('/integrations/old777')).main, /id="old777"[^>]* open/);

    // What is there can be changed; nothing new is added.
    assert.ok((await admin('PUT', '/segments/Old%20777', { priority: 7 })).ok);
    assert.ok((await page('/segments', { name: 'Old 777', priority: '8' })).ok);
    for (const [method, path, body] of [
      ['PUT', '/segments/New', { priority: 1 }],
      ['PUT', '/extensions/7', { name: 'New' }],
      ['POST', '/integrations', { name: 'New' }],
      ['POST', '/users', { name: 'New' }],
      ['POST', '/users', { name: 'Other', extensions: ['7'] }],
    ] as const) {
      const { ok, said } = await admin(method, path, body);
      assert.equal(ok, false, path);
      assert.match(said, /at most (200|2000)|may have 500/, path);
    }
    const form = await ann.read('/customers/new?');
    assert.equal(form.status, 200);
    const customer = await ann.read('/customers?segment=Old+777');
    assert.match(customer.main, /Far/);
    assert.match(customer.main, /<option value="Old 777" selected/);
  });
}
