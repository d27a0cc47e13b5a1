import type { FastifyReply } from 'fastify';
import { closedWith } from './closed-with.ts';
import { Busy, createFairQueue, type FairQueue } from './fair-queue.ts';
import { Refusal } from './refusal.ts';

/**
 * What a request of an account does: it reads; it changes something, for some milliseconds; or it works for long, as an
 * import does, so that reads and changes must not wait for it.
 */
export type Turn = 'read' | 'change' | 'long';

/** What a request does when its turn comes. */
type Work<Who, T> = {
  /** Who asked when the request came. */
  readonly who: Who;
  /** Who asks now: what waits, or works for long, must not outlive the token, session or role that it was sent with. */
  readonly admit: () => Promise<Who | undefined> | Who | undefined;
  /** Answers a request whose user or token is no longer valid. */
  readonly refuse: () => T | Promise<T>;
  readonly work: (who: Who) => T | Promise<T>;
};

/**
 * How many requests of one account are worked on at once. Those that wait for a lock, or for much that is read, can hold
 * that many connections to the database, and no more.
 */
const atOnce: Readonly<Record<Turn, number>> = { read: 3, change: 1, long: 2 };
/** Requests that wait: of one user or token, and of the account. */
const [WAITING_OF_ONE, WAITING] = [200, 1_000];
/** When who is refused may ask again, s. */
const RETRY_S = 5;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Absent: what the method says. */
    turn?: Turn;
    /** It may wait for something to happen: how long says nothing about the service. */
    waits?: true;
  }
}

export type AccountTurns = ReturnType<typeof createAccountTurns>;

/**
 * Every request of an account but events and lookups takes a turn here, so that the requests of one account do not keep
 * those of others waiting, nor those of one user or token a colleague's. What is sent for as long as somebody reads it, a
 * stream or a download, has had its turn when that begins.
 */
export function createAccountTurns() {
  const accounts = new Map<number, Readonly<Record<Turn, FairQueue>>>();
  function queuesOf(account: number) {
    const queue = (running: number) =>
      createFairQueue({ running, waitingOfOne: WAITING_OF_ONE, waiting: WAITING });
    const queues = accounts.get(account) ?? {
      read: queue(atOnce.read),
      change: queue(atOnce.change),
      long: queue(atOnce.long),
    };
    accounts.set(account, queues);
    return queues;
  }
  /** Of each response that has, or had, a turn: what ends it, and who asks now. */
  const responses = new WeakMap<
    object,
    { readonly end: () => void; readonly admit: Work<unknown, never>['admit'] }
  >();
  return {
    /** Ends the turn of a response that is being sent, which may take as long as its client likes. */
    end: ({ raw }: FastifyReply): void => responses.get(raw)?.end(),
    /**
     * For an import and an export at each piece of a request that has, or had, a turn.
     * @throws Refusal 401 if who sent it may no longer ask
     */
    async checkAdmitted({ raw }: FastifyReply): Promise<void> {
      const response = responses.get(raw);
      if (response !== undefined && (await response.admit()) === undefined)
        throw new Refusal(401, ({ signedOut }) => signedOut);
    },
    /**
     * Does the work of a request in its turn, if who sent it may still ask then. Undefined, and no answer, if its client leaves before. `client`: a user or token.
     * @throws Refusal 429 if too many wait
     */
    async run<Who, T>(
      { turn, account, client }: { readonly turn: Turn; readonly account: number; readonly client: string },
      reply: FastifyReply,
      { who, admit, refuse, work }: Work<Who, T>,
    ): Promise<T | undefined> {
      const workIn = async (hasWaited: boolean): Promise<T> => {
        const now = hasWaited ? await admit() : who;
        return now === undefined ? refuse() : work(now);
      };
      if (responses.has(reply.raw)) return workIn(false); // the route of a HEAD has the handler of its GET
      const { promise: sent, resolve: end } = Promise.withResolvers<void>();
      responses.set(reply.raw, { end, admit });
      const signal = closedWith(reply);
      let answer: Promise<T> | undefined;
      const begin = (hasWaited: boolean) => {
        answer = workIn(hasWaited);
        return Promise.race([answer, sent]);
      };
      try {
        await queuesOf(account)[turn](client, begin, signal);
        return await answer;
      } catch (error) {
        if (signal.aborted && error === signal.reason) {
          reply.hijack();
          return undefined;
        }
        if (error instanceof Busy) reply.header('retry-after', RETRY_S);
        throw error;
      }
    },
    /** Of an account that is gone. */
    forget: (account: number): void => void accounts.delete(account),
  };
}
