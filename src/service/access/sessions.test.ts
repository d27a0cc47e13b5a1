import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Session, User, UserStore } from '../store/user-store.ts';
import { IDLE_MS, MAX_AGE_MS, makeSessions } from './sessions.ts';

const user: User = {
  id: 1,
  uid: 'u',
  account: 1,
  name: 'Ann',
  signInName: 'ann',
  role: 'agent',
  password: null,
  createdAt: 0,
};

/** Sessions on a store in memory, with a clock to turn. */
function setUp() {
  const kept = new Map<string, Session>();
  const time = { now: 1_000_000_000 };
  const store = {
    openSession: async ({ id, at }: { id: string; at: number }) =>
      void kept.set(id, { id, user, openedAt: at, usedAt: at }),
    session: async (id: string) => kept.get(id),
    useSession: async (id: string, usedAt: number) => {
      const session = kept.get(id);
      if (session) kept.set(id, { ...session, usedAt });
    },
    closeSession: async (id: string) => void kept.delete(id),
    closeSessions: async (_user: number, except: string | null) => {
      for (const id of kept.keys()) if (id !== except) kept.delete(id);
    },
  } as unknown as UserStore;
  return { kept, time, sessions: makeSessions(store, () => time.now) };
}

test('a session ends after 12 idle hours, and after 30 days', async () => {
  const { kept, time, sessions } = setUp();
  const cookie = await sessions.open(user);
  time.now += IDLE_MS - 1;
  assert.ok(await sessions.find(cookie));
  time.now += IDLE_MS - 1;
  assert.ok(await sessions.find(cookie), 'it was used meanwhile');
  time.now += IDLE_MS;
  assert.equal(await sessions.find(cookie), undefined);
  assert.equal(kept.size, 0, 'and it is forgotten');

  const used = await sessions.open(user);
  const end = time.now + MAX_AGE_MS;
  for (; time.now < end; time.now += IDLE_MS / 2) assert.ok(await sessions.find(used));
  assert.equal(await sessions.find(used), undefined);
});

test('neither a stored id nor an invented cookie opens a session', async () => {
  const { kept, sessions } = setUp();
  const cookie = await sessions.open(user);
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
      const session = (await sessions.find(await sessions.open(user))) as Session;
      return { session, forget: sessions.onClose(session, () => closed.push(name)) };
    }),
  );
  assert.ok(a && b && c);
  await sessions.close(a.session);
  assert.deepEqual(closed.splice(0), ['a']);
  c.forget();
  await sessions.closeAll(user, null);
  assert.deepEqual(closed, ['a', 'b']);
});
