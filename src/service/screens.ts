import type { CallRecord } from './call-record.ts';

/** The calls of an account as they move, to the screens that show them. In this process only. */
export type Screens = {
  publish(account: number, call: CallRecord): void;
  /** True if a screen shows the account's calls. */
  watched(account: number): boolean;
  /** `listener` gets frames of an event stream. Gives the way to stop listening. */
  subscribe(account: number, listener: (frame: string) => void): () => void;
  /** `listener` is told when every stream is to end: the service stops. Gives the way to forget it. */
  onClose(listener: () => void): () => void;
  close(): void;
};

export function makeScreens(): Screens {
  const listeners = new Map<number, Set<(frame: string) => void>>();
  const closers = new Set<() => void>();
  return {
    publish(account, call) {
      const ofAccount = listeners.get(account);
      if (ofAccount === undefined) return;
      const frame = eventFrame('call', screenCall(call));
      for (const listener of ofAccount) listener(frame);
    },
    watched: (account) => listeners.has(account),
    subscribe(account, listener) {
      const ofAccount = listeners.get(account) ?? new Set();
      listeners.set(account, ofAccount.add(listener));
      return () => {
        ofAccount.delete(listener);
        if (ofAccount.size === 0 && listeners.get(account) === ofAccount) listeners.delete(account);
      };
    },
    onClose(listener) {
      closers.add(listener);
      return () => closers.delete(listener);
    },
    close() {
      for (const closer of closers) closer();
    },
  };
}

/** One event of a text/event-stream (HTML standard, 9.2). JSON text holds no line breaks. */
export function eventFrame(event: string, data: unknown): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** A call as screens get it. Times are Unix milliseconds. */
export function screenCall(call: CallRecord) {
  return {
    id: call.id,
    status: call.status,
    from: call.from,
    number: call.number,
    customer: call.customer,
    segment: call.segment,
    priority: call.priority,
    caller_id: call.callerId,
    started_at: call.startedAt,
    ringing_at: call.ringingAt,
    answered_at: call.answeredAt,
    completed_at: call.completedAt,
    missed: call.missed,
  };
}
