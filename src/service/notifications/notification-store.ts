import { callColumns, callOf, whoCalls } from '../calls/call-rows.ts';
import { keysOf, type Statements } from '../store/statements.ts';
import type { Notice } from './due-notices.ts';
import { choiceOf, choiceText, type Medium, type Notification, type PushDevice } from './notification.ts';

export type NotificationStore = ReturnType<typeof createNotificationStore>;

/** A user who may have to be notified. */
export type Recipient = Notification & {
  readonly account: number;
  /** See `User`. */
  readonly language: string;
  /** When the end of the first call arrived that the user may have to hear of, Unix ms. */
  readonly oldest: number;
};

/** Whose, and for which medium. */
type Whose = Pick<Notification, 'user' | 'medium'>;

/** Notices that are looked at in one go. */
const NOTICES = 500;
/** A process that sends is believed to be gone after this time, ms: longer than any message takes. */
const SENDING_MS = 120_000;
/** How long it is known that a call is done with, ms: longer than its event can be queued again (event-queue-store.ts). */
const KNOWN_MS = 8 * 86_400_000;
/** Of a user; with more, the one that was added first goes. */
export const MAX_DEVICES = 10;

/** How users want to hear of missed calls, of which they may still have to hear, and where push messages go. */
export const createNotificationStore = (statements: Pick<Statements, 'read' | 'write'>) => ({
  ...createChoiceStore(statements),
  ...createNoticeStore(statements),
  ...createDeviceStore(statements),
});

const createChoiceStore = ({ read, write }: Pick<Statements, 'read' | 'write'>) => ({
  /** Of a user: for each medium that is on. */
  async ofUser(user: number): Promise<Notification[]> {
    const rows = await read<{ medium: Medium; choice: string; address: string }>(
      'SELECT medium, choice, address FROM notifications WHERE user_id = $1',
      user,
    );
    return rows.map(({ choice, ...row }) => ({ user, ...row, choice: choiceOf(choice) }));
  },
  /** What users of an account have typed and chosen: addresses, segments, numbers called. */
  async texts(account: number): Promise<string[]> {
    const sql = 'SELECT address, choice FROM notifications WHERE account_id = $1';
    const rows = await read<{ address: string; choice: string }>(sql, account);
    return rows.flatMap(({ address, choice }) => {
      const { segments, numbersCalled } = choiceOf(choice);
      return [address, ...segments, ...numbersCalled].filter((text) => text !== '');
    });
  },
  /** The names of an account's users who want to hear of missed calls of a segment. */
  async usersOf(account: number, segment: string): Promise<string[]> {
    const rows = await read<{ name: string; choice: string }>(
      `SELECT u.name, w.choice FROM notifications w JOIN users u ON u.id = w.user_id
       WHERE w.account_id = $1 ORDER BY u.name, u.id`,
      account,
    );
    const choosing = rows.filter(({ choice }) => choiceOf(choice).segments.includes(segment));
    return [...new Set(choosing.map(({ name }) => name))];
  },
  /** Switches a medium on, for calls that are missed from `now` on, or changes it. */
  async put({ user, medium, choice, address }: Notification, now: number): Promise<void> {
    await write(
      `INSERT INTO notifications (user_id, medium, account_id, choice, address, since)
       SELECT id, $2, account_id, $3, $4, $5 FROM users WHERE id = $1
       ON CONFLICT (user_id, medium) DO UPDATE SET choice = excluded.choice, address = excluded.address`,
      ...[user, medium, choiceText(choice), address, now],
    );
  },
  /** Switches a medium off. */
  async remove({ user, medium }: Whose): Promise<void> {
    await write('DELETE FROM notifications WHERE user_id = $1 AND medium = $2', user, medium);
  },
});

const createNoticeStore = ({ read, write }: Pick<Statements, 'read' | 'write'>) => ({
  /** The users who may have to hear of calls by a medium now. */
  async recipients(medium: Medium, now: number): Promise<Recipient[]> {
    const rows = await read<Omit<Recipient, 'choice' | 'medium'> & { choice: string; oldest: number | null }>(
      `SELECT w.user_id AS "user", w.account_id AS account, w.choice, w.address, u.language,
         (SELECT min(m.at) FROM missed_notices m
           WHERE m.user_id = w.user_id AND m.medium = w.medium AND m.done_at IS NULL) AS oldest
       FROM notifications w JOIN users u ON u.id = w.user_id WHERE w.medium = $1 AND ${isFree('w.', 2)}
       ORDER BY w.account_id, w.user_id`,
      ...[medium, ...freeAt(now)],
    );
    return rows.flatMap(({ choice, oldest, ...row }) =>
      oldest === null ? [] : [{ ...row, medium, oldest, choice: choiceOf(choice) }],
    );
  },
  /** Takes a user's medium, for one process at a time, until `release`. False if another one has it, or it is too early. */
  async claim({ user, medium }: Whose, now: number): Promise<boolean> {
    const claimed = await write(
      `UPDATE notifications SET held_until = $3 WHERE user_id = $1 AND medium = $2 AND ${isFree('', 4)} RETURNING user_id`,
      ...[user, medium, now + SENDING_MS, ...freeAt(now)],
    );
    return claimed.length > 0;
  },
  /** Gives it back: from `until` on it can be taken again. */
  async release({ user, medium }: Whose, until: number): Promise<void> {
    const sql = 'UPDATE notifications SET held_until = $3 WHERE user_id = $1 AND medium = $2';
    await write(sql, user, medium, until);
  },
  /** The first calls that the user may have to hear of, oldest first. */
  async notices({ user, medium }: Whose): Promise<Notice[]> {
    const rows = await read<{ row: number; at: number; blocked: string | null }>(
      `SELECT m.call_row AS row, m.at, k.blocked, ${callColumns}
       FROM missed_notices m JOIN calls c ON c.id = m.call_row ${whoCalls}
       WHERE m.user_id = $1 AND m.medium = $2 AND m.done_at IS NULL ORDER BY m.at, m.call_row LIMIT ${NOTICES}`,
      ...[user, medium],
    );
    return rows.map(({ row, at, blocked, ...call }) => ({ row, at, blocked: !!blocked, call: callOf(call) }));
  },
  /** The user has heard of these calls, or need not. */
  async done({ user, medium }: Whose, calls: readonly number[], now: number): Promise<void> {
    await write(
      `UPDATE missed_notices SET done_at = $4 WHERE user_id = $1 AND medium = $2 AND done_at IS NULL
         AND call_row IN (SELECT CAST(k.key AS bigint) FROM json_each($3) k)`,
      ...[user, medium, keysOf(calls), now],
    );
    await write(
      'DELETE FROM missed_notices WHERE user_id = $1 AND medium = $2 AND done_at < $3',
      ...[user, medium, now - KNOWN_MS],
    );
  },
});

/** As SQL: whether no process holds it; the values are `freeAt`. A clock that was ahead must not hold it for ever. */
const isFree = (of: string, value: number) =>
  `(${of}held_until <= $${value} OR ${of}held_until > $${value + 1})`;
const freeAt = (now: number) => [now, now + 2 * SENDING_MS] as const;

const createDeviceStore = ({ read, write }: Pick<Statements, 'read' | 'write'>) => ({
  /** The browsers of a user, the newest first. `session`: the one that it was signed in with. */
  devices: (
    user: number,
  ): Promise<
    (PushDevice & { readonly session: string; readonly browser: string; readonly addedAt: number })[]
  > =>
    read(
      `SELECT endpoint, public_key AS "publicKey", auth, session_id AS session, browser, added_at AS "addedAt"
       FROM push_devices WHERE user_id = $1 ORDER BY added_at DESC, endpoint LIMIT ${MAX_DEVICES}`,
      user,
    ),
  /** A browser that the user has signed in with again. False if the user has none with this address. */
  async renewDevice({ endpoint, publicKey, auth }: PushDevice, session: string): Promise<boolean> {
    const renewed = await write(
      `UPDATE push_devices SET session_id = $2, public_key = $3, auth = $4
       WHERE endpoint = $1 AND user_id = (SELECT user_id FROM sessions WHERE id = $2) RETURNING endpoint`,
      ...[endpoint, session, publicKey, auth],
    );
    return renewed.length > 0;
  },
  /** Adds the browser of a session: it is of the user who has added it last. */
  async addDevice({ endpoint, publicKey, auth }: PushDevice, session: string, now: number): Promise<void> {
    const [added] = await write<{ user: number }>(
      `INSERT INTO push_devices (endpoint, user_id, session_id, public_key, auth, browser, added_at)
       SELECT $1, user_id, id, $3, $4, browser, $5 FROM sessions WHERE id = $2
       ON CONFLICT (endpoint) DO UPDATE SET user_id = excluded.user_id, session_id = excluded.session_id,
         public_key = excluded.public_key, auth = excluded.auth, browser = excluded.browser
       RETURNING user_id AS "user"`,
      ...[endpoint, session, publicKey, auth, now],
    );
    if (added !== undefined)
      await write(
        `DELETE FROM push_devices WHERE user_id = $1 AND endpoint NOT IN (SELECT endpoint FROM push_devices
           WHERE user_id = $1 ORDER BY added_at DESC, endpoint LIMIT ${MAX_DEVICES})`,
        added.user,
      );
  },
  /** Removes a browser of a user. */
  async removeDevice(user: number, endpoint: string): Promise<void> {
    await write('DELETE FROM push_devices WHERE user_id = $1 AND endpoint = $2', user, endpoint);
  },
});
