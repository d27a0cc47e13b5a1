import type { Dispatcher } from 'undici';
import { monotonicMs } from '../process/clock.ts';
import { nextRequest, type RequestInput, type RequestRules, type RequestState } from './request-state.ts';
import type { ApiResult } from './result.ts';

type Deadlines = {
  /** How long to wait for a connection, ms. */
  readonly connectTimeoutMs: number;
  /** From the first byte sent to the end of the answer, ms. */
  readonly answerTimeoutMs: number;
};

/** Sends one request. What comes of it is a value: it never rejects. */
export function sendRequest(
  pool: Dispatcher,
  request: Dispatcher.DispatchOptions,
  { connectTimeoutMs, answerTimeoutMs, ...rules }: Deadlines & RequestRules,
): Promise<ApiResult> {
  const { promise, resolve } = Promise.withResolvers<ApiResult>();
  let state: RequestState = { phase: 'connecting', startedAt: monotonicMs() };
  let controller: Dispatcher.DispatchController | undefined;
  let timer = setTimeout(onTimeout, connectTimeoutMs);

  function onTimeout(): void {
    apply({ type: 'timeout' });
  }

  function apply(input: RequestInput): void {
    const next = nextRequest(state, input, monotonicMs(), rules);
    state = next.state;
    for (const effect of next.effects) {
      if (effect.type === 'abort') controller?.abort(new Error(effect.reason));
      else clearTimeout(timer);
      if (effect.type === 'await-answer') timer = setTimeout(onTimeout, answerTimeoutMs);
      if (effect.type === 'result') resolve(effect.result);
    }
  }

  pool.dispatch(request, {
    onRequestStart(started) {
      controller = started;
      apply({ type: 'sent' });
    },
    onResponseStart: (_, status, headers) => apply({ type: 'headers', status, headers }),
    onResponseData: (_, chunk) => apply({ type: 'data', chunk }),
    onResponseEnd: () => apply({ type: 'end' }),
    onResponseError: (_, error) => apply({ type: 'error', error }),
  });
  return promise;
}
