import { randomBytes } from 'node:crypto';
import type { AmiFailure } from './failure.ts';
import { createOpenLists, type List, type ListEvents } from './open-lists.ts';
import type { AnswerLimits, PendingRequests } from './pending-requests.ts';
import { type Action, assertSafe, type Manager, type Response } from './wire/manager.ts';

type AnswerOptions = {
  /** Those of the connection when absent. */
  readonly limits?: AnswerLimits;
  /**
   * Without an answer in time the connection is failed. Other actions then count as refused, at once if this connection
   * has never answered them before: a proxy in front of Asterisk may know only some. `unless-others-come`: only if nothing
   * else arrives either, so that a link that is broken is not taken for such a proxy.
   */
  readonly needed?: boolean | 'unless-others-come';
};

type RequestTools = {
  readonly manager: Manager;
  readonly pending: PendingRequests;
  readonly limits: AnswerLimits;
  /** No answer came in time to this action, which the bridge can do without. */
  readonly onUnanswered?: ((action: string) => void) | undefined;
};

/** What an action without an answer comes to: Asterisk's refusals are these, too. */
const noResponse: Response = { response: 'Error', actionid: '', fields: new Map() };
const noList: List<never> = { ok: false, message: 'no answer' };

/** Actions on one logged-in connection, and their answers. */
export function createRequests({ manager, pending, limits, onUnanswered }: RequestTools) {
  /** Callers know the number of an action, and must not be able to write its answer. */
  const actionPrefix = `pbx-bridge-${randomBytes(6).toString('hex')}-`;
  const lists = createOpenLists();
  /** Actions by name: those that were answered, and those that were not and are not sent any more. */
  const answered = new Set<string>();
  const unanswered = new Set<string>();
  let actions = 0;

  function ask<Value>(
    name: string,
    start: (done: (value: Value) => void) => void,
    { limits: own = limits, needed = false }: AnswerOptions = {},
    refusal: Value,
  ): Promise<Value> {
    const giveUp = (isSilent: boolean): { value: Value } | AmiFailure => {
      if (isSilent && needed === 'unless-others-come') return silent(name);
      if (!answered.has(name)) unanswered.add(name);
      onUnanswered?.(name);
      return { value: refusal };
    };
    return pending.add(
      (done) => {
        if (unanswered.has(name)) return done(refusal);
        start((value) => {
          answered.add(name);
          // It was late.
          unanswered.delete(name);
          done(value);
        });
      },
      own,
      needed === true ? silent(name) : giveUp,
    );
  }

  function send(action: Action, done: (response: Response) => void): string {
    assertSafe(action);
    const actionId = `${actionPrefix}${++actions}`;
    manager.send(action, actionId, done);
    return actionId;
  }

  return {
    /** Sends an action and returns its response, `Success` or `Error`. */
    request: (action: Action, own?: AnswerOptions): Promise<Response> =>
      ask(action.action, (done) => send(action, done), own, noResponse),
    /** Sends an action that is answered by a list of events. */
    list<Item>({ action, ...events }: ListEvents<Item> & { readonly action: Action }, own?: AnswerOptions) {
      const start = (done: (list: List<Item>) => void): void => {
        const actionId = send(action, (response) => {
          if (response.response !== 'Error') return;
          lists.close(actionId);
          done({ ok: false, message: messageOf(response) });
        });
        lists.open(actionId, events, done);
      };
      return ask<List<Item>>(action.action, start, own, noList);
    },
    /** The lists that are being read. */
    lists,
    /** True for the answer to one of these actions. */
    isAnswer: (bytes: Buffer): boolean => bytes.includes(`\nActionID: ${actionPrefix}`, 0, 'latin1'),
  };
}

export function messageOf({ fields }: Response): string {
  return fields.get('Message') ?? 'without a reason';
}

export function silent(action: string): AmiFailure {
  return { kind: 'silent', detail: action };
}
