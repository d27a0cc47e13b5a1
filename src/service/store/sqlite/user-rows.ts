import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { Session, User, UserStore } from '../user-store.ts';

type Given<Name extends keyof UserStore, At extends number = 0> = Parameters<UserStore[Name]>[At];

const columns = `u.id, u.uid, u.account_id AS account, u.name, u.sign_in_name AS signInName, u.role, u.password,
  u.created_at AS createdAt`;

/** Changes to users, their sessions and what they have dismissed. */
export function userWriter(db: DatabaseSync) {
  const run = (sql: string) => {
    const statement = db.prepare(sql);
    return (...values: SQLInputValue[]) => Number(statement.run(...values).changes);
  };
  const add = db.prepare(
    `INSERT INTO users AS u (uid, account_id, name, sign_in_name, role, password, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (sign_in_name) DO NOTHING RETURNING ${columns.replaceAll('u.', '')}`,
  );
  const taken = db.prepare('SELECT 1 FROM users WHERE sign_in_name = ? AND id <> ?');
  const change = run(
    `UPDATE users SET name = coalesce(?, name), sign_in_name = coalesce(?, sign_in_name), role = coalesce(?, role),
       password = iif(?, ?, password), link_counter = link_counter + ? WHERE id = ?`,
  );
  const newLink = db.prepare(
    'UPDATE users SET link_counter = link_counter + 1 WHERE id = ? RETURNING link_counter AS counter',
  );
  const useLink = db.prepare(
    `UPDATE users AS u SET link_counter = link_counter + 1 WHERE uid = ? AND link_counter = ? RETURNING ${columns.replaceAll('u.', '')}`,
  );
  const remove = run('DELETE FROM users WHERE id = ?');
  const open = run('INSERT INTO sessions VALUES (?, ?, ?, ?)');
  const use = run('UPDATE sessions SET used_at = max(used_at, ?) WHERE id = ?');
  const close = run('DELETE FROM sessions WHERE id = ?');
  const closeOthers = run('DELETE FROM sessions WHERE user_id = ? AND id IS NOT ?');
  const trim = run('DELETE FROM sessions WHERE opened_at < ? OR used_at < ?');
  const dismiss = run(
    'INSERT INTO dismissed_calls VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET until = excluded.until',
  );
  const forget = run('DELETE FROM dismissed_calls WHERE until < ?');

  return {
    addUser({ uid, account, name, signInName, role, password, createdAt }: Given<'add'>): User | undefined {
      const row = add.get(uid, account, name, signInName, role, password, createdAt);
      return row && ({ ...row } as unknown as User);
    },
    changeUser(id: number, { name, signInName, role, password }: Given<'change', 1>): boolean {
      if (signInName !== undefined && taken.get(signInName, id)) return false;
      const given = password === undefined ? 0 : 1;
      change(name ?? null, signInName ?? null, role ?? null, given, password ?? null, given, id);
      return true;
    },
    newLink: (id: number): number => newLink.get(id)?.counter as number,
    useLink(uid: string, counter: number): User | undefined {
      const row = useLink.get(uid, counter);
      return row && ({ ...row } as unknown as User);
    },
    removeUser: (id: number): void => void remove(id),
    openSession: ({ id, user, at }: Given<'openSession'>): void => void open(id, user, at, at),
    useSession: (id: string, at: number): void => void use(at, id),
    closeSession: (id: string): void => void close(id),
    closeSessions: (user: number, except: string | null): void => void closeOthers(user, except),
    trimSessions: ({ openedBefore, usedBefore }: Given<'trimSessions'>): void =>
      void trim(openedBefore, usedBefore),
    dismiss(user: number, calls: readonly string[], until: number, now: number): void {
      forget(now);
      for (const call of calls) dismiss(user, call, until);
    },
  };
}

export function userReader(db: DatabaseSync) {
  const list = db.prepare(`SELECT ${columns} FROM users u WHERE account_id = ? ORDER BY sign_in_name`);
  const byUid = db.prepare(`SELECT ${columns} FROM users u WHERE uid = ?`);
  const bySignInName = db.prepare(`SELECT ${columns} FROM users u WHERE sign_in_name = ?`);
  const session = db.prepare(
    `SELECT ${columns}, s.opened_at AS openedAt, s.used_at AS usedAt FROM sessions s JOIN users u ON u.id = s.user_id
     WHERE s.id = ?`,
  );
  const dismissed = db.prepare('SELECT call_id AS call FROM dismissed_calls WHERE user_id = ?');
  return {
    users: (account: number): User[] => list.all(account).map((row) => ({ ...row }) as unknown as User),
    findUser(by: Given<'find'>): User | undefined {
      const row = 'uid' in by ? byUid.get(by.uid) : bySignInName.get(by.signInName);
      return row && ({ ...row } as unknown as User);
    },
    session(id: string): Session | undefined {
      const row = session.get(id);
      if (row === undefined) return undefined;
      const { openedAt, usedAt, ...user } = row;
      return { id, user, openedAt, usedAt } as unknown as Session;
    },
    dismissed: (user: number): string[] => dismissed.all(user).map(({ call }) => call as string),
  };
}
