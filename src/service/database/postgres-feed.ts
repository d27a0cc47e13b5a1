import { bridgeCallsSchema, type CallNow } from '../../shared/api/contract/bridge-calls.ts';
import { parseJson } from '../../shared/process/parse-json.ts';
import type { CallFeed } from '../calls/call-store.ts';
import type { Queries } from '../store/postgres/database.ts';
import { CHANNEL, listen } from '../store/postgres/listener.ts';
import { type Primary, timelineSql } from '../store/postgres/primary.ts';
import type { CallChanges } from '../webhooks/event-queue-store.ts';
import { startPoll, TOGETHER_MS } from './postgres-poll.ts';

type Follow = Parameters<CallFeed['follow']>[1];

/** More accounts than this in one notification are not named. */
const NAMED = 500;

/**
 * What changed for webhooks: a cursor is the timeline and the snapshot, `00000001 731:733:731`. A database that was restored into
 * another server has a cursor of the one before, which may be far ahead.
 */
export const callChanges: CallChanges = {
  cursorSql: `SELECT ${timelineSql} || ' ' || pg_current_snapshot()::text AS "cursor"`,
  changedSql: (table) => `${table} w JOIN calls c ON c.account_id = w.account_id
    WHERE c.changed >= $1::text::xid8 AND c.changed < pg_snapshot_xmax(pg_current_snapshot())`,
  values(from, to) {
    const [before, now] = [from, to].map((cursor) => /^(?<timeline>\S+) (?<first>\d+)/.exec(cursor)?.groups);
    const { timeline, first } = before ?? {};
    if (!now || first === undefined || timeline !== now.timeline) return undefined;
    return BigInt(first) <= BigInt(now.first ?? 0) ? [first] : undefined;
  },
};

export type Feed = CallFeed & {
  /** Notifies the other processes that calls of these accounts have moved. Does not wait. */
  notify(accounts: Iterable<number>): void;
  /** Notifies them that a user did something about a missed caller. Does not wait. */
  notifyCalledBack(account: number): void;
  /** Says here and, without waiting, to the other processes that the account's customers have changed. */
  customersChanged(account: number): void;
  stop(): void;
};

export function createFeed(database: Queries, direct: Primary, sender: string): Feed {
  const stops = new Set<() => void>();
  const customerListeners = new Set<(account: number) => void>();
  const tell = (what: string, accounts: number | string) =>
    database.prepared('SELECT pg_notify($1, $2)', CHANNEL, `${what} ${sender} ${accounts}`);

  return {
    notify: createCallNotifier((accounts) => tell('calls', accounts)),

    notifyCalledBack(account) {
      void tell('called-back', account).catch(() => {});
    },

    customersChanged(account) {
      for (const notify of customerListeners) notify(account);
      void tell('customers', account).catch(() => {});
    },

    tellWho: (account, calls) =>
      // Several are notified in one transaction, and so arrive together and in order.
      database.prepared(
        'SELECT pg_notify($1, $2 || piece) FROM unnest($3::text[]) AS piece',
        ...[CHANNEL, `who ${sender} ${account} `, piecesOf(calls)],
      ),

    follow(watched, on) {
      const poll = startPoll(database, watched, on);
      const who = createWhoReader(on.who);
      const receive = (payload: string) => {
        if (payload === 'directory') return on.directory();
        const [kind, from, account = ''] = payload.split(' ', 3);
        if (from === sender) return;
        if (kind === 'called-back') return on.calledBack(Number(account));
        if (kind === 'customers') return on.customers(Number(account));
        if (kind === 'who') return who.receive(payload);
        if (kind !== 'calls') return;
        const moved = new Set(account.split(','));
        if (moved.has('*') || [...watched()].some((account) => moved.has(String(account)))) poll.wake();
      };
      const unlisten = listen(direct, receive, () => {
        who.begin();
        on.directory();
        for (const account of watched()) on.customers(account);
        poll.wake();
      });
      const stop = () => {
        poll.stop();
        unlisten();
        customerListeners.delete(on.customers);
        stops.delete(stop);
      };
      stops.add(stop);
      customerListeners.add(on.customers);
      return stop;
    },

    stop() {
      for (const stop of stops) stop();
    },
  };
}

/** What a notification can hold (8000 bytes), less its head. */
const NOTIFICATION_BYTES = 7_000;

/** The calls in pieces that a notification can hold, each with how many follow: equal ones would be notified once. */
function piecesOf(calls: readonly CallNow[]): string[] {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const text = JSON.stringify(calls).replace(/[^ -~]/g, escaped);
  const count = Math.ceil(text.length / NOTIFICATION_BYTES);
  return Array.from(
    { length: count },
    (_, n) => `${count - 1 - n} ${text.slice(n * NOTIFICATION_BYTES, (n + 1) * NOTIFICATION_BYTES)}`,
  );
}

/** Puts the pieces of what each process tells together. */
function createWhoReader(told: Follow['who']) {
  const pieces = new Map<string, string>();
  return {
    /** On a new connection: the rest of what came on the one before is lost. */
    begin: () => pieces.clear(),
    receive(payload: string): void {
      const [, from = '', account, following, ...piece] = payload.split(' ');
      const text = `${pieces.get(from) ?? ''}${piece.join(' ')}`;
      pieces.set(from, text);
      if (following !== '0') return;
      pieces.delete(from);
      const { success, data } = bridgeCallsSchema.shape.calls.safeParse(parseJson(text));
      if (success) told(Number(account), data);
    },
  };
}

/** Notifies of the accounts whose calls have moved, of all within a few ms at once. */
function createCallNotifier(tell: (accounts: string) => Promise<unknown>): Feed['notify'] {
  const pending = new Set<number>();
  let notifying = false;

  async function notifyAll(): Promise<void> {
    notifying = true;
    while (pending.size > 0) {
      const accounts = pending.size > NAMED ? '*' : [...pending].join(',');
      pending.clear();
      // After the commit and not in it: a commit that notifies holds a lock that all others wait for.
      await tell(accounts).catch(() => pending.clear());
      await new Promise((resolve) => setTimeout(resolve, TOGETHER_MS));
    }
    notifying = false;
  }

  return (accounts) => {
    for (const account of accounts) pending.add(account);
    if (!notifying && pending.size > 0) void notifyAll();
  };
}
