import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Store } from '../../src/service/database/store.ts';
import { ChangeRefused } from '../../src/service/store/change-refused.ts';
import type { AuditKind } from '../../src/service/words/audit-kinds.ts';
import type { StoreTests } from './service-store-conformance.ts';

/** Adds a user, by default an agent whose sign-in name is the uid. */
async function add(
  { users }: Store,
  account: number,
  uid: string,
  more: Partial<Parameters<Store['users']['add']>[0]> = {},
) {
  const given = {
    uid,
    account,
    name: uid,
    signInName: uid,
    role: 'agent',
    password: null,
    createdAt: 0,
  } as const;
  return (await users.add({ ...given, ...more })) ?? assert.fail('the name is taken');
}

/** What accounts, integrations, extensions and users ask of every store. */
export const accountTests: StoreTests = {
  async 'the directory reports when it changed, and what it is then'({ store: { directory }, account }) {
    const before = await directory.read(0);
    assert.equal(await directory.read(before?.version ?? 0), undefined);
    const made = await directory.addIntegration({ uid: 'i', account, name: 'PBX', createdAt: 5 });
    await directory.changeIntegration(made.id, { enabled: false, replaces: 1 });
    const berlin = { country: null, timeZone: 'Europe/Berlin' };
    await directory.rotateAdminToken(account, 1);
    await directory.replacePhoneBookToken(account, 0, true);
    await assert.rejects(directory.replacePhoneBookToken(account, 0, true), ChangeRefused);
    await directory.changeAccount(account, {
      ...berlin,
      crmUrl: 'https://crm.example/{number}',
    });
    const after = (await directory.read(before?.version ?? 0))?.directory;
    assert.deepEqual(after?.integrations.slice(2), [
      {
        id: made.id,
        uid: 'i',
        account,
        name: 'PBX',
        tokenCounter: 2,
        oldTokenUntil: null,
        enabled: false,
        createdAt: 5,
      },
    ]);
    assert.deepEqual(after?.accounts[0], {
      id: account,
      uid: 'a',
      name: 'A',
      ...berlin,
      answerWithin: 20,
      tokenCounter: 2,
      crmUrl: 'https://crm.example/{number}',
      openingHours: null,
      phoneBookCounter: 1,
      agentsDelete: false,
      requestsPerMinute: null,
      mostUsers: null,
      numbersKeptDays: null,
    });
    const rest = {
      agentsDelete: true,
      answerWithin: 30,
      openingHours: '{}',
      requestsPerMinute: 600,
      mostUsers: 5,
      numbersKeptDays: 30,
    };
    await directory.changeAccount(account, rest);
    await directory.renameAccount(account, 'B');
    const [changed] = (await directory.read(0))?.directory.accounts ?? [];
    assert.deepEqual(changed, { ...after?.accounts[0], ...rest, name: 'B' });
  },

  async 'a time zone that nothing can count with, as 1.0.0 took it, is none'({ store, account }) {
    await store.directory.changeAccount(account, { country: 'JP', timeZone: 'JST' });
    const [stored] = (await store.directory.read(0))?.directory.accounts ?? [];
    assert.deepEqual([stored?.country, stored?.timeZone], ['JP', null]);
  },

  async 'extensions have names and users, which the directory knows at once'({ store, account, other }) {
    const { directory, users } = store;
    const { id: user } = await add(store, account, 'ann', { name: 'Ann' });
    let version = (await directory.read(0))?.version ?? 0;
    const changed = async () => {
      const next = await directory.read(version);
      version = next?.version ?? version;
      return next && [...next.directory.extensions.values()].flatMap((known) => [...known.values()]);
    };
    const row = { account, extension: '1001', name: 'Reception', user, userName: 'Ann' };
    await directory.putExtension(account, { extension: '1001', name: 'Desk', user: null });
    await directory.putExtension(account, row);
    await directory.putExtension(other, { extension: '1001', name: 'Other', user: null });
    const theirs = { account: other, extension: '1001', name: 'Other', user: null, userName: null };
    assert.deepEqual(await changed(), [row, theirs]);
    await users.change(user, { name: 'Anna' });
    assert.deepEqual(await changed(), [{ ...row, userName: 'Anna' }, theirs]);
    await users.remove(user);
    assert.deepEqual(await changed(), [{ ...row, user: null, userName: null }, theirs]);
    await directory.putExtension(account, { extension: '1001', name: '', user: null });
    assert.deepEqual(await changed(), [theirs]);
  },

  async 'a change of one account leaves what is known of the extensions of others as it is'({
    store: { directory },
    account,
    other,
  }) {
    for (const one of [account, other])
      await directory.putExtension(one, { extension: '1001', name: 'Desk', user: null });
    const before = (await directory.read(0))?.directory.extensions;
    await directory.putExtension(other, { extension: '1002', name: 'Door', user: null });
    const after = (await directory.read(0))?.directory.extensions;
    assert.equal(after?.get(account)?.size, 1);
    assert.equal(after?.get(account), before?.get(account));
    assert.deepEqual([...(after?.get(other)?.keys() ?? [])], ['1001', '1002']);
  },

  async 'a user is given extensions, and no others, also by two at the same moment'({
    store,
    account,
    other,
  }) {
    const { directory } = store;
    const { id: ann } = await add(store, account, 'ann');
    const { id: ben } = await add(store, account, 'ben');
    const give = (user: number, ...wanted: string[]) => directory.giveExtensions(account, user, wanted);
    const all = async (of = account) =>
      Object.fromEntries(
        [...((await directory.read(0))?.directory.extensions.get(of)?.values() ?? [])].map(
          ({ extension, name, userName }) => [extension, [name, userName].filter(Boolean).join()],
        ),
      );
    await directory.putExtension(account, { extension: '1002', name: 'Desk', user: ben });
    await directory.putExtension(other, { extension: '1001', name: 'Other', user: null });
    const special = `"\\'😀__proto__`;
    assert.equal(await give(ann, '1001', '1002', special, '1001', '__proto__'), true);
    assert.deepEqual(await all(), {
      1001: 'ann',
      1002: 'Desk,ann',
      [special]: 'ann',
      ['__proto__']: 'ann',
    });
    assert.equal(await give(ann, '__proto__', special, '1002', '1001'), false);
    assert.equal(await give(ann, '1003'), true);
    assert.deepEqual(await all(), { 1002: 'Desk', 1003: 'ann' });
    assert.deepEqual(await all(other), { 1001: 'Other' });
    for (let n = 0; n < 50; n += 1) {
      await Promise.all([give(ann, '20', '21'), give(ann, '30', '1002'), give(ben, '21')]);
      const now = await all();
      const own = Object.keys(now).filter((one) => now[one]?.endsWith('ann'));
      assert.ok(['20,21', '20', '30,1002', '1002,30'].includes(own.join()), own.join());
    }
    await give(ann);
    await give(ben);
    assert.deepEqual(await all(), { 1002: 'Desk' });
    const many = Array.from({ length: 1_999 }, (_, n) => `3${n}`);
    assert.equal(await give(ben, ...many), true);
    await assert.rejects(give(ann, '1002', '40'), { statusCode: 422 });
    assert.equal((await all())[1002], 'Desk', 'nothing is changed');
    assert.equal(await give(ann, '1002'), true);
    await assert.rejects(give(ben, ...many, '40'), { statusCode: 422 });
    assert.equal(await give(ben, '30'), true);
  },

  async 'the uses of a replaced token are kept until the next one'({ store: { directory }, account }) {
    const { id } = await directory.addIntegration({ uid: 'i', account, name: 'PBX', createdAt: 5 });
    const changed = async (change: Parameters<typeof directory.changeIntegration>[1]) => {
      await directory.changeIntegration(id, change);
      return (await directory.read(0))?.directory.integrations.at(-1) ?? assert.fail();
    };
    const first = await changed({ replaces: 1, oldTokenUntil: 9_000_000_000_000 });
    assert.deepEqual([first.tokenCounter, first.oldTokenUntil], [2, 9_000_000_000_000]);
    for (const [at, address] of ['10.0.0.1', '10.0.0.2', '10.0.0.1'].entries())
      await directory.oldTokenUsed(first, address, at);
    assert.deepEqual(await directory.oldTokenUses(first), [
      { address: '10.0.0.1', lastAt: 2 },
      { address: '10.0.0.2', lastAt: 1 },
    ]);
    assert.deepEqual(await changed({ name: 'PBX 2' }), { ...first, name: 'PBX 2' });
    assert.equal((await changed({ oldTokenUntil: null })).oldTokenUntil, null);
    await assert.rejects(changed({ replaces: 1, oldTokenUntil: 8 }), { statusCode: 409 });
    const second = await changed({ replaces: 2, oldTokenUntil: 8 });
    assert.deepEqual(await directory.oldTokenUses(second), []);
    assert.equal((await changed({ replaces: 3 })).oldTokenUntil, null);
    assert.deepEqual(await directory.oldTokenUses(first), [], 'uses of older tokens are gone');
    await directory.saveBridgeReport(id, 6, '{}');
    await directory.saveBridgeReport(id, 7, '{"problems":[]}');
    const report = { reportedAt: 7, report: '{"problems":[]}' };
    assert.deepEqual(await directory.bridgeReport(id), report);
    assert.equal(await directory.certificate(id), undefined);
    for (const certificate of ['{"month":"2026-10"}', '{"month":"2026-11"}'])
      await directory.saveCertificate(id, 7, certificate);
    assert.equal(await directory.certificate(id), '{"month":"2026-11"}');
    const bridge = { id, uid: 'i', account, name: 'PBX 2', lastAt: null, ...report };
    const ours = async () =>
      (await directory.fleetBridges()).filter((one) => one.account === account && one.id === id);
    assert.deepEqual(await ours(), [bridge]);
    await directory.changeIntegration(id, { enabled: false });
    assert.deepEqual(await ours(), [], 'switched off');
    const counts = (await directory.fleetAccounts()).find((one) => one.id === account);
    assert.deepEqual([counts?.users, counts?.customers], [0, 0]);
  },

  async 'users: names are unique in their account, and a user who goes takes sessions along'({
    store,
    account,
    other,
  }) {
    const { users } = store;
    const ann = {
      uid: 'u1',
      account,
      name: 'Ann',
      signInName: 'ann',
      role: 'administrator',
      createdAt: 1,
    } as const;
    const made = await add(store, account, 'u1', ann);
    const unset = { language: '', password: null, secondFactor: null, linkCounter: 0, bar: null };
    assert.deepEqual(made, { id: made.id, ...ann, ...unset });
    assert.equal(await users.add({ ...ann, uid: 'u2', password: null }), undefined);
    const theirs = await add(store, other, 'u2', { ...ann, uid: 'u2', account: other });
    const find = (signInName: string, of: number | null) => users.find({ signInName, account: of });
    for (const [of, found] of [
      [null, made],
      [account, made],
      [other, theirs],
      [-1, made],
    ] as const)
      assert.deepEqual(await find('ann', of), found);
    const second = await add(store, account, 'u3', { name: 'Bob', password: 'hash' });
    assert.deepEqual(await users.list(account), [made, second]);
    assert.deepEqual(await users.list(other), [theirs]);

    assert.equal(await users.change(second.id, { name: 'ANN', signInName: 'ann' }), false);
    assert.deepEqual(await users.find({ uid: 'u3' }), second, 'a refused change changes nothing');
    const change = { name: 'Änn', signInName: 'änn', language: 'de', password: 'x' };
    assert.equal(await users.change(made.id, change), true);
    assert.deepEqual(await find('änn', account), { ...made, ...change, linkCounter: 1 });
    assert.equal(await users.change(made.id, { password: null }), true);
    assert.deepEqual(await users.find({ uid: 'u1' }), {
      ...made,
      ...change,
      password: null,
      linkCounter: 2,
    });
    assert.deepEqual(await find('ann', account), theirs);

    const from = { address: '192.0.2.1', browser: 'Firefox' };
    assert.equal(await users.openSession({ id: 's1', user: second, at: 10, ...from }), true);
    await users.useSession('s1', 20);
    const session = { id: 's1', openedAt: 10, usedAt: 20, ...from };
    assert.deepEqual(await users.session('s1'), { ...session, user: second });
    assert.deepEqual(await users.sessions(second.id), [session]);
    assert.deepEqual(await users.openSessions(['s1', 's2', ...Array(1000).fill('s3')]), ['s1']);
    assert.equal(await users.remove(second.id), true);
    assert.equal(await users.session('s1'), undefined);
    assert.equal(await users.find({ uid: 'u3' }), undefined);
  },

  async 'an account keeps an administrator, whatever is changed at once'({ store }) {
    const { users } = store;
    for (let round = 0; round < 20; round += 1) {
      const { id: account } = await store.directory.addAccount({ uid: `${round}`, name: 'C', country: null });
      const names = [1, 2, 3].map((n) => `${round}-${n}`);
      const added = await Promise.all(
        names.map((uid) => add(store, account, uid, { role: 'administrator' })),
      );
      const [a, b, c] = added.map(({ id }) => id) as [number, number, number];
      const done = await Promise.all([users.setRole(a, 'agent'), users.setRole(b, 'agent'), users.remove(c)]);
      assert.deepEqual(done.toSorted(), [false, true, true], `round ${round}`);
      const left = await users.list(account);
      const [last = assert.fail(), ...others] = left.filter(({ role }) => role === 'administrator');
      assert.deepEqual(others, []);
      assert.equal(await users.remove(last.id), false);
      assert.equal(await users.setRole(last.id, 'administrator'), true, 'no change is no refusal');
      for (const { id, role } of left) if (role === 'agent') assert.equal(await users.remove(id), true);
    }
  },

  async 'second factor: each step and each recovery code is used once'({ store, account }) {
    const { users } = store;
    const [{ id: a }, { id: b }] = [await add(store, account, 'a'), await add(store, account, 'b')];
    const codes = ['1', '2', '3'].map((digit) => digit.repeat(64)) as [string, string, string];
    await users.setSecondFactor(a, 'factor', codes);
    assert.equal((await users.find({ uid: 'a' }))?.secondFactor, 'factor');
    const both = await Promise.all([users.useCodeStep(a, 5, 16), users.useCodeStep(a, 5, 16)]);
    assert.deepEqual(both.toSorted(), [false, true]);
    assert.deepEqual([await users.useCodeStep(a, 4, 16), await users.useCodeStep(a, 6, 16)], [false, true]);
    await users.useCodeStep(a, 1_000, 1_010);
    assert.equal(await users.useCodeStep(a, 7, 1_000), false);
    assert.equal(await users.useCodeStep(a, 7, 999), true, 'the clock was ahead');
    assert.equal(await users.useCodeStep(a, 7, 999), false);
    const uses = await Promise.all([users.useRecoveryCode(a, codes[0]), users.useRecoveryCode(a, codes[0])]);
    assert.deepEqual(uses.toSorted(), [false, true]);
    assert.equal(await users.useRecoveryCode(b, codes[1]), false);
    assert.equal(await users.useRecoveryCode(a, codes[1]), true);
    await users.setSecondFactor(a, null, []);
    assert.equal((await users.find({ uid: 'a' }))?.secondFactor, null);
    assert.equal(await users.useRecoveryCode(a, codes[2]), false);
  },

  async 'a session opens only as long as what was checked for it is valid'({ store, account }) {
    const { users } = store;
    let opened = 0;
    const opens = (user: Parameters<typeof users.openSession>[0]['user']) => {
      opened += 1;
      return users.openSession({ id: `s${opened}`, user, at: 1, address: '', browser: '' });
    };
    await add(store, account, 'boss', { role: 'administrator', name: 'Boss', signInName: 'boss' });
    const { id } = await add(store, account, 'u', { role: 'administrator', password: 'x' });
    const now = async () => (await users.find({ uid: 'u' })) ?? assert.fail();
    const changes: readonly (() => Promise<unknown>)[] = [
      () => users.change(id, { password: null }),
      () => users.change(id, { password: null }), // a link's session has no password either
      () => users.change(id, { password: 'y' }),
      () => users.setSecondFactor(id, 'factor', []),
      () => users.setSecondFactor(id, null, []),
      () => users.setRole(id, 'agent'),
    ];
    for (const change of changes) {
      const checked = await now();
      assert.equal(await opens(checked), true);
      await change();
      assert.equal(await opens(checked), false, `${change}`);
      assert.equal(await opens(await now()), true);
      // At the same moment: whichever is first, none is left that was opened with what is not valid any more.
      for (const password of [`${opened}`, null]) {
        const before = await now();
        const ends = users.change(id, { password }).then(() => users.closeSessions(id, null));
        await Promise.all([...Array.from({ length: 8 }, () => opens(before)), ends]);
        assert.deepEqual(await users.sessions(id), []);
      }
    }
    const left = await now();
    assert.equal(await users.remove(id), true);
    assert.equal(await opens(left), false);
  },

  async 'what proves who somebody is, is changed only as long as what was checked, and the session, are valid'({
    store,
    account,
  }) {
    const { users } = store;
    const { id } = await add(store, account, 'u', { password: 'old' });
    const now = async () => (await users.find({ uid: 'u' })) ?? assert.fail();
    const open = async () => {
      const session = { id: 's', user: await now() };
      await users.closeSession(session.id);
      assert.equal(await users.openSession({ ...session, at: 1, address: '', browser: '' }), true);
      return session;
    };
    const own: readonly ((session: Awaited<ReturnType<typeof open>>) => Promise<unknown>)[] = [
      (session) => users.change(id, { password: 'mine' }, session),
      (session) => users.setSecondFactor(id, 'mine', ['mine'], session),
      (session) => users.setSecondFactor(id, null, [], session),
    ];
    const resets: readonly (() => Promise<unknown>)[] = [
      () => users.change(id, { password: 'new' }),
      () => users.change(id, { password: null }),
      () => users.change(id, { password: null }), // the session was opened by a link
      () => users.setSecondFactor(id, randomUUID(), ['code']),
      () => users.closeSession('s'),
    ];
    for (const reset of resets)
      for (const change of own) {
        const session = await open();
        await change(session);
        const before = await open();
        await reset();
        const left = await now();
        await assert.rejects(change(before), { statusCode: 409 }, `${change} after ${reset}`);
        assert.deepEqual(await now(), left);
      }
    // At the same moment: what is asked for does not come after the reset.
    for (const change of own) {
      await users.setSecondFactor(id, null, []);
      const session = await open();
      const ends = users.change(id, { password: null });
      const asked = change(session).then(
        () => 'before',
        ({ statusCode }: { statusCode: number }) => statusCode,
      );
      await ends;
      if ((await asked) === 409) assert.equal((await now()).secondFactor, null);
      assert.equal((await now()).password, null, `${change}`);
    }
  },

  async 'sessions end one by one, all but one, and by age'({ store, account }) {
    const { users } = store;
    const known = await add(store, account, 'u');
    const { id: user } = known;
    assert.deepEqual(
      await users.lastSeen(account, [user]),
      new Map(),
      'a user who was never seen has no time',
    );
    const all = ['s1', 's2', 's3', 's4'];
    const opens = (id: string, at: number) =>
      users.openSession({ id, user: known, at, address: '', browser: '' });
    const isOpen = async (...expected: string[]) =>
      assert.deepEqual((await users.openSessions(all)).sort(), expected);
    for (const [at, id] of all.entries()) await opens(id, at);
    await users.closeSession('s1');
    await isOpen('s2', 's3', 's4');
    await users.useSession('s3', 50);
    await users.useSession('s4', 40);
    assert.deepEqual(await users.lastSeen(account, [user]), new Map([[user, 50]]));
    await users.trimSessions({ openedBefore: 0, usedBefore: 41, usedAfter: 60 });
    await isOpen('s3');
    await opens('s1', 60);
    await users.closeSessions(user, 's1');
    await isOpen('s1');
    await users.trimSessions({ openedBefore: 0, usedBefore: 0, usedAfter: 60 });
    await isOpen('s1');
    await opens('s5', 20);
    await users.useSession('s5', 62);
    await opens('s6', 61);
    await users.useSession('s6', 60);
    await users.trimSessions({ openedBefore: 0, usedBefore: 0, usedAfter: 60 });
    await isOpen('s1');
    await users.trimSessions({ openedBefore: 61, usedBefore: 0, usedAfter: 100 });
    await isOpen();
  },

  async "a user's newest one-time link is used once, and ends with a change of the password"({
    store,
    account,
  }) {
    const { users } = store;
    const [a, b] = [await add(store, account, 'a'), await add(store, account, 'b')];
    const [first, second] = [await users.newLink(a.id), await users.newLink(a.id)];
    const other = await users.newLink(b.id);
    assert.equal(await users.useLink('a', first), undefined);
    const uses = await Promise.all([users.useLink('a', second), users.useLink('a', second)]);
    assert.deepEqual(uses.filter(Boolean), [{ ...a, linkCounter: second + 1 }]);
    assert.equal(await users.useLink('a', second), undefined);
    for (const password of ['x', null]) {
      const link = await users.newLink(a.id);
      await users.change(a.id, { password });
      assert.equal(await users.useLink('a', link), undefined);
    }
    const kept = await users.newLink(a.id);
    await users.setRole(a.id, 'administrator');
    assert.deepEqual(await users.useLink('a', kept), {
      ...a,
      role: 'administrator',
      linkCounter: kept + 1,
    });
    assert.deepEqual(await users.useLink('b', other), { ...b, linkCounter: other + 1 });
  },

  async 'a weekly report is due once for each user who wants it, and claimed by one'({
    store,
    account,
    other,
  }) {
    const { weekly } = store;
    const [{ id: ann }, { id: ben }] = [await add(store, account, 'ann'), await add(store, other, 'ben')];
    await weekly.put(ann, 'ann@example.com', '2026-11-09');
    await weekly.put(ben, 'ben@example.com', '2026-11-02');
    assert.equal(await weekly.address(ann), 'ann@example.com');
    assert.deepEqual(await weekly.due(account, '2026-11-09'), []);
    const due = { user: ann, address: 'ann@example.com', language: '', sent: '2026-11-09' };
    assert.deepEqual(await weekly.due(account, '2026-11-16'), [due]);
    const claims = await Promise.all([1, 2, 3].map(() => weekly.move(ann, '2026-11-09', '2026-11-16')));
    assert.equal(claims.filter(Boolean).length, 1);
    assert.deepEqual(await weekly.due(account, '2026-11-16'), []);
    await weekly.put(ann, 'new@example.com', '2026-01-05');
    assert.deepEqual(await weekly.due(account, '2026-11-16'), [], 'another address is no other report');
    await weekly.put(ann, null, '');
    assert.equal(await weekly.address(ann), null);
    await store.users.remove(ben);
    assert.deepEqual(await weekly.due(other, '2026-11-16'), []);
  },

  async 'work under the lock is done one after the other'({ store }) {
    let running = 0;
    const work = async () => {
      running += 1;
      await new Promise(setImmediate);
      assert.equal(running, 1);
      running -= 1;
    };
    await Promise.all(Array.from({ length: 5 }, () => store.withLock(work)));
  },

  async 'the audit log gives entries newest first, by kind and person, and forgets the old'({
    store: { audit },
    account,
    other,
  }) {
    const add = (at: number, what: AuditKind, who: string, target = '', of = account) =>
      audit.write({ account: of, at, what, who, from: '::1', target });
    await add(1, 'sign-in', 'Ann');
    await add(2, 'role', 'Ann', 'Bob:\0 \u202e\x1b[2J\n\ud800');
    await add(2, 'role', 'Bob');
    await add(4, 'sign-in', 'Bob', 'x'.repeat(999));
    await add(3, 'sign-in', 'Eve', '', other);
    const page = (query: Partial<Parameters<typeof audit.page>[0]> = {}) =>
      audit.page({ account, what: null, who: null, before: null, limit: 9, ...query });
    const found = async (...query: Parameters<typeof page>) =>
      (await page(...query)).entries.map(({ at, who }) => `${who}${at}`).join(' ');
    assert.equal(await found(), 'Bob4 Bob2 Ann2 Ann1');
    assert.equal(await found({ what: 'role' }), 'Bob2 Ann2');
    assert.equal(await found({ who: 'Ann' }), 'Ann2 Ann1');
    assert.equal(await found({ who: 'Ann', what: 'role' }), 'Ann2');
    const first = await page({ limit: 2 });
    const rest = await page({ limit: 2, before: first.next });
    assert.equal(rest.next, null);
    const readable = 'Bob:\ufffd \ufffd\ufffd[2J\ufffd\ufffd';
    assert.deepEqual(rest.entries, [
      { account, at: 2, what: 'role', who: 'Ann', from: '::1', target: readable },
      { account, at: 1, what: 'sign-in', who: 'Ann', from: '::1', target: '' },
    ]);
    assert.equal(first.entries[0]?.target.length, 300);
    assert.deepEqual([await audit.trim(2), await audit.trim(4), await audit.trim(4)], [1, 3, 0]);
    assert.equal(await found(), 'Bob4');
  },
};
