import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Session, User } from '../accounts/user.ts';
import type { SessionStore } from './session-store.ts';
import { createSessions } from './sessions.ts';

const user: User = {
  id: 1,
  uid: 'u',
  account: 1,
  name: 'Ann',
  signInName: 'ann',
  role: 'agent',
  language: '',
  password: null,
  secondFactor: null,
  createdAt: 0,
  linkCounter: 0,
  bar: null,
};

const hour = 3_600_000;
const from = { address: '192.0.2.1', browser: 'Firefox' };

/** Sessions on a store in memory, with a clock to turn. */
function setUp() {
  const kept = new Map<string, Session>();
  const time = { now: 1_000_000_000 };
  const store = {
    async openSession({ id, at, address, browser }: Parameters<SessionStore['openSession']>[0]) {
      kept.set(id, { id, user, openedAt: at, usedAt: at, address, browser });
      return true;
    },
    sessions: async () => [...kept.values()],
    openSessions: async (ids: readonly string[]) => {
      assert.notEqual(ids.length, 0, 'a query for nothing');
      return ids.filter((id) => kept.has(id));
    },
    session: async (id: string) => kept.get(id),
    useSession: async (id: string, usedAt: number) => {
      const session = kept.get(id);
      if (session) kept.set(id, { ...session, usedAt });
    },
    trimSessions: async (limits: Parameters<SessionStore['trimSessions']>[0]) => {
      const { openedBefore, usedBefore, usedAfter } = limits;
      for (const { id, openedAt, usedAt } of kept.values())
        if (openedAt < openedBefore || usedAt < usedBefore || Math.max(openedAt, usedAt) > usedAfter)
          kept.delete(id);
    },
    expireSession: async (id: string) => void kept.delete(id),
    closeSession: async (id: string) => void kept.delete(id),
    closeSessions: async (_user: number, except: string | null) => {
      for (const id of kept.keys()) if (id !== except) kept.delete(id);
    },
  } as unknown as SessionStore;
  return { kept, time, sessions: createSessions(store, () => time.now) };
}

test('a session ends after 12 idle hours, and after 30 days', async () => {
  const { kept, time, sessions } = setUp();
  const cookie = (await sessions.open(user, from)) ?? '';
  time.now += 12 * hour - 1;
  assert.ok(await sessions.find(cookie));
  time.now += 12 * hour - 1;
  assert.ok(await sessions.find(cookie), 'it was used meanwhile');
  time.now += 12 * hour;
  assert.equal(await sessions.find(cookie), undefined);
  assert.equal(kept.size, 0, 'and it is forgotten');

  const used = await sessions.open(user, from);
  const end = time.now + 30 * 24 * hour;
  for (; time.now < end; time.now += 6 * hour) assert.ok(await sessions.find(used));
  assert.equal(await sessions.find(used), undefined);
});

test('a session that was opened or used while the clock was ahead is over, but for what clocks differ', async () => {
  const { kept, time, sessions } = setUp();
  const now = time.now;
  const at = async (ahead: number, used: number) => {
    time.now = now + ahead;
    const cookie = await sessions.open(user, from);
    time.now = now + used;
    await sessions.find(cookie);
    time.now = now;
    return cookie;
  };
  const year = 365 * 24 * hour;
  for (const [ahead, used] of [
    [year, year],
    [0, 11 * hour],
  ] as const)
    assert.equal(await sessions.find(await at(ahead, used)), undefined);
  assert.equal(kept.size, 0);
  assert.ok(await sessions.find(await at(4 * 60_000, 5 * 60_000)));

  await at(year, year);
  assert.equal((await sessions.list(user)).length, 1);
  await sessions.trim();
  assert.equal(kept.size, 1);
});

test('sessions that have ended are trimmed, and no others', async () => {
  const { kept, time, sessions } = setUp();
  const [used] = [await sessions.open(user, from), await sessions.open(user, from)];
  time.now += 12 * hour;
  await sessions.trim();
  assert.equal(kept.size, 2);
  for (const [id, session] of [...kept].slice(0, 1)) kept.set(id, { ...session, usedAt: time.now });
  time.now += 1;
  await sessions.trim();
  assert.equal(kept.size, 1);
  assert.ok(await sessions.find(used));
  const [[id, session] = assert.fail()] = kept;
  time.now = session.openedAt + 30 * 24 * hour;
  kept.set(id, { ...session, usedAt: time.now });
  await sessions.trim();
  assert.equal(kept.size, 1);
  time.now += 1;
  await sessions.trim();
  assert.equal(kept.size, 0);
});

test('neither a stored id nor an invented cookie opens a session', async () => {
  const { kept, sessions } = setUp();
  const cookie = (await sessions.open(user, from)) ?? '';
  assert.match(cookie, /^[\w-]{43}$/);
  const [id] = kept.keys();
  for (const other of [id, '', undefined, `${cookie}x`, cookie.toUpperCase()])
    assert.equal(await sessions.find(other), undefined);
});

test('closing a session calls its listeners and no others', async () => {
  const { sessions } = setUp();
  const closed: string[] = [];
  const [a, b, c] = await Promise.all(
    ['a', 'b', 'c'].map(async (name) => {
      const session = (await sessions.find(await sessions.open(user, from))) as Session;
      return { session, forget: sessions.onClose(session, () => closed.push(name)) };
    }),
  );
  assert.ok(a && b && c);
  await sessions.close(a.session);
  assert.deepEqual(closed.splice(0), ['a']);
  c.forget();
  sessions.onClose({ ...c.session, user: { ...user, id: 2 } }, () => closed.push('of another user'));
  await sessions.closeAll(user, null);
  assert.deepEqual(closed, ['a', 'b']);
});

test('what listens to a session that another process has closed ends with the next look', async () => {
  const { kept, sessions } = setUp();
  await sessions.endClosed();
  const closed: string[] = [];
  let forget: (() => void) | undefined;
  for (const name of ['a', 'b']) {
    const session = (await sessions.find(await sessions.open(user, from))) as Session;
    const remove = sessions.onClose(session, () => closed.push(name));
    forget ??= remove;
  }
  await sessions.endClosed();
  assert.deepEqual(closed, []);
  kept.delete([...kept.keys()][0] ?? '');
  await sessions.endClosed();
  assert.deepEqual(closed, ['a']);
  forget?.();
  kept.clear();
  await sessions.endClosed();
  assert.deepEqual(closed, ['a', 'b']);
});
