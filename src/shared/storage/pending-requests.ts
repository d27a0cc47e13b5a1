import { StoreUnavailable } from './storage-error.ts';
import type { Answers, ThreadRequest } from './thread-messages.ts';

/** Most unanswered requests: while a disk hangs, clients that retry must not fill the memory. */
export const MOST_PENDING = 20_000;

type Waiting = { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void };
type Settlement = () => void;

/** The requests that a thread has not answered yet. No thread and no timer is involved. */
export function createPendingRequests() {
  const waiting = new Map<number, Waiting>();
  /** Answers that have come, in their order. */
  const settlements: Settlement[] = [];
  let lastId = 0;
  /** Set when no more requests are taken: why. */
  let refusal: Error | undefined;

  function take(id: number): Waiting | undefined {
    const found = waiting.get(id);
    waiting.delete(id);
    return found;
  }

  return {
    /** Calls `send` with the request, numbered, and resolves with its answer, or rejects if it cannot be taken. */
    add(name: string, args: readonly unknown[], send: (request: ThreadRequest) => void): Promise<unknown> {
      if (refusal) return Promise.reject(refusal);
      if (waiting.size >= MOST_PENDING)
        return Promise.reject(new StoreUnavailable('the disk does not keep up'));
      const id = ++lastId;
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      waiting.set(id, { resolve, reject });
      send({ id, name, args });
      return promise;
    },

    /** Takes answers, which `settle` hands on. */
    answered({ done, values, errors }: Answers): void {
      for (const id of done) settlements.push(() => take(id)?.resolve(undefined));
      for (let at = 0; at < values.length; at += 2)
        settlements.push(() => take(values[at] as number)?.resolve(values[at + 1]));
      for (const { id, message, isUnavailable } of errors)
        settlements.push(() => take(id)?.reject(new (isUnavailable ? StoreUnavailable : Error)(message)));
    },

    /** Settles at most `count` answered requests. Returns whether there are more. */
    settle(most = Number.POSITIVE_INFINITY): boolean {
      for (const settlement of settlements.splice(0, most)) settlement();
      return settlements.length > 0;
    },

    /** Takes no more requests, for this reason. False if they were refused before. */
    refuse(error: Error): boolean {
      if (refusal) return false;
      refusal = error;
      return true;
    },

    /** Rejects all that were not answered, after `refuse`. */
    rejectAll(): void {
      for (const { reject } of waiting.values()) reject(refusal as Error);
      waiting.clear();
    },
  };
}
