import type { ApiResult } from '../../shared/api/result.ts';
import { type Classified, classify, parseRetryAfter, type Verdict } from '../../shared/delivery/classify.ts';

const verdicts: Readonly<Record<number, readonly [Verdict, string]>> = {
  400: ['reject', 'the receiver cannot read the event'],
  408: ['retry', 'the receiver gave up waiting for the request'],
  409: ['retry', 'the receiver is busy with the event'],
  410: ['pause', 'the receiver is gone'],
  413: ['reject', 'the event is too large for the receiver'],
  415: ['reject', 'the receiver takes no JSON'],
  422: ['reject', 'the receiver finds the event invalid'],
  423: ['retry', 'the receiver has it locked'],
  425: ['retry', 'the receiver wants it later'],
  429: ['hold', 'the receiver wants fewer requests'],
};

/** What the answer of a webhook's receiver means: every 2xx is a success. `now` is Unix ms. */
export function classifyAnswer(result: ApiResult, now: number): Classified {
  if (result.kind === 'failed') return classify(result, now);
  const { status } = result;
  if (status >= 200 && status < 300) return { verdict: 'delivered', reason: '' };
  const [verdict, words] = verdicts[status] ?? byClass(status);
  const waitMs =
    verdict === 'retry' || verdict === 'hold' ? parseRetryAfter(result.retryAfter, now) : undefined;
  return { verdict, reason: `${status}: ${words}`, ...(waitMs !== undefined && { retryAfterMs: waitMs }) };
}

function byClass(status: number): readonly [Verdict, string] {
  if (status >= 500) return ['retry', 'the receiver has a fault'];
  if (status >= 300 && status < 400) return ['pause', 'a redirect, which is not followed'];
  return ['pause', 'the receiver refuses the request'];
}
