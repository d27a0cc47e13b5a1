import type { z } from 'zod';
import type { ApiClient } from '../shared/api/client.ts';
import {
  type CallBackOutcome,
  callBackReplySchema,
  waitingNumbersSchema,
} from '../shared/api/contract/bridge-call-backs.ts';
import type { ApiResult } from '../shared/api/result.ts';
import type { Log } from '../shared/log/log.ts';
import type { Clock } from '../shared/process/clock.ts';
import { parseJson } from '../shared/process/parse-json.ts';
import type { Effect } from './calls/effect.ts';
import type { Input } from './calls/input.ts';
import { callIdOf } from './calls/open-call.ts';
import { createOutgoingCalls, type OutgoingCall } from './calls/outgoing-calls.ts';
import type { TrackerState } from './calls/tracker-state.ts';
import type { CallBacksStatus } from './status/bridge-status.ts';

/** How often the numbers are asked for, ms; after a failure, too. */
const ASK_MS = 30_000;
/** After a missed call: by then the service has it. Also the least time between two questions. */
const SOON_MS = 3_000;
/** A service that does not know the question is asked again after this time, ms. */
const UNKNOWN_MS = 3_600_000;
/** Numbers that could not be asked for so long, ms, count as waiting no more; an outcome that was not taken is dropped. */
const STALE_MS = 600_000;
/** Most numbers that were just missed; the list of the service has as many. */
const MOST_MISSED = 1_000;
/** Most outcomes that wait to be taken. */
const MOST_UNSENT = 100;

export type CallBackReporter = ReturnType<typeof createCallBackReporter>;

type Parts = {
  readonly client: Pick<ApiClient, 'waitingNumbers' | 'reportCallBack'>;
  /** Monotonic. */
  readonly clock: Clock;
  readonly log: Log;
  /** Whose calls are told: see `createOutgoingCalls`. */
  readonly extensions?: 'all' | readonly string[];
};

type Unsent = OutgoingCall & { readonly endedAt: number };

/**
 * Asks the service which numbers wait for a call back, and tells it what became of calls to these (CALL_BACKS). All in memory: it is a
 * help, and a call back that does not close itself is closed by hand. Nothing of a call to another number is told, logged or kept.
 */
export function createCallBackReporter(
  state: Readonly<TrackerState>,
  { client, clock, log, extensions }: Parts,
) {
  let known: { readonly version: string; readonly numbers: ReadonlySet<string>; at: number } | undefined;
  let unsent: Unsent[] = [];
  let says: CallBacksStatus['state'] = 'begun';
  let reported = 0;
  let timer: { readonly at: number; readonly cancel: () => void } | undefined;
  let notBefore = 0;
  let isAsking = false;
  /** Whether there was a reason to ask again while the service was asked. */
  let isWanted = false;
  let isStopped = false;
  /** A proxy answers for a service that is being restarted: it knows the question, if it ever has. */
  let wasAnswered = false;

  /** When the calls were missed that the service may not have on its list yet, by number: people call back at once. */
  const justMissed = new Map<string, number>();

  const isListed = (number: string): boolean =>
    known !== undefined && clock.now() - known.at < STALE_MS && known.numbers.has(number);
  const waits = (number: string): boolean =>
    isListed(number) || clock.now() - (justMissed.get(number) ?? Number.NEGATIVE_INFINITY) < STALE_MS;
  const calls = createOutgoingCalls(state, waits, extensions);

  function askWithin(ms: number): void {
    const at = Math.max(clock.now() + ms, notBefore);
    isWanted ||= isAsking;
    if (isStopped || isAsking || (timer !== undefined && timer.at <= at)) return;
    timer?.cancel();
    timer = { at, cancel: clock.setTimer(() => void ask(), at - clock.now()) };
  }

  async function ask(): Promise<void> {
    timer = undefined;
    isAsking = true;
    isWanted = false;
    const result = await exchange();
    isAsking = false;
    if (result !== says && result === 'unknown') log.say('callback.unknown');
    says = result;
    notBefore = clock.now() + (result === 'ok' ? SOON_MS : result === 'unknown' ? UNKNOWN_MS : ASK_MS);
    askWithin(isWanted || unsent.length > 0 ? SOON_MS : ASK_MS);
  }

  /** The numbers come first: what does not wait any more is not told. */
  async function exchange(): Promise<'ok' | 'failed' | 'unknown'> {
    const askedAt = clock.now();
    const result = await client.waitingNumbers(known?.version);
    const status = statusOf(result);
    if (status !== 200 && status !== 404) return 'failed';
    const body = result.kind === 'answer' && status === 200 && parseJson(result.body);
    const answer = waitingNumbersSchema.safeParse(body).data;
    if (answer === undefined) {
      if (wasAnswered) return 'failed';
      forget();
      return 'unknown';
    }
    wasAnswered = true;
    take(answer);
    for (const [number, at] of justMissed) if (askedAt - at >= SOON_MS) justMissed.delete(number);
    unsent = unsent.filter(({ number, endedAt }) => waits(number) && clock.now() - endedAt < STALE_MS);
    const first = () => unsent.find(({ number }) => isListed(number));
    for (let next = first(); next !== undefined; next = first()) {
      const answered = await client.reportCallBack(JSON.stringify(outcomeOf(next)));
      const status = statusOf(answered);
      if (status === undefined || status >= 500 || [401, 403, 429].includes(status)) return 'failed';
      unsent = unsent.filter((one) => one !== next);
      const reply = callBackReplySchema.safeParse(answered.kind === 'answer' && parseJson(answered.body));
      if (!reply.data?.taken) continue;
      reported += 1;
      const { number, by } = next;
      log.say('callback.reported', { number, by: by ?? '?', reached: next.talkedMs !== undefined });
    }
    return 'ok';
  }

  function take({ version, numbers }: z.output<typeof waitingNumbersSchema>): void {
    if (numbers !== undefined) known = { version, numbers: new Set(numbers), at: clock.now() };
    else if (known?.version === version) known.at = clock.now();
    else known = undefined;
  }

  function forget(): void {
    known = undefined;
    justMissed.clear();
    unsent = [];
  }

  function outcomeOf({ uniqueid, number, talkedMs, by, endedAt }: Unsent): CallBackOutcome {
    return {
      id: callIdOf(state.rules.pbxId, uniqueid),
      number,
      ended_ago: Math.floor((clock.now() - endedAt) / 1_000),
      ...(talkedMs !== undefined && { talked: Math.floor(talkedMs / 1_000) }),
      ...(by !== undefined && { by }),
    };
  }

  return {
    start: (): void => askWithin(0),
    /** After the tracker has taken an input. */
    observe(input: Input, effects: readonly Effect[]): void {
      for (const call of calls.apply(input)) {
        if (unsent.length === MOST_UNSENT) continue;
        unsent = [...unsent, { ...call, endedAt: clock.now() }];
        askWithin(0);
      }
      for (const effect of effects) {
        if (effect.type !== 'report' || effect.status !== 'completed' || effect.callerId !== undefined)
          continue;
        askWithin(SOON_MS);
        if (says === 'unknown') continue;
        justMissed.delete(effect.from);
        justMissed.set(effect.from, clock.now());
        const [oldest = ''] = justMissed.keys();
        if (justMissed.size > MOST_MISSED) justMissed.delete(oldest);
      }
    },
    status: (): CallBacksStatus => ({ state: says, waiting: known?.numbers.size ?? 0, reported }),
    stop(): void {
      isStopped = true;
      timer?.cancel();
    },
  };
}

const statusOf = (result: ApiResult): number | undefined =>
  result.kind === 'answer' ? result.status : undefined;
