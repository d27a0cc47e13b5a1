import { type ApiErrorKind, type ApiResult, errorKind } from './result.ts';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** One request, from its dispatch to its result. `startedAt`: monotonic ms. */
export type RequestState =
  /** No connection yet. */
  | { readonly phase: 'connecting'; readonly startedAt: number }
  /** Its first byte is sent. */
  | { readonly phase: 'sent'; readonly startedAt: number }
  /** The answer's headers have come. */
  | {
      readonly phase: 'answering';
      readonly startedAt: number;
      readonly status: number;
      readonly headers: Headers;
      readonly chunks: readonly Buffer[];
      readonly bytes: number;
    }
  /** It has a result. */
  | { readonly phase: 'over' };

export type RequestInput =
  | { readonly type: 'sent' }
  | { readonly type: 'headers'; readonly status: number; readonly headers: Headers }
  | { readonly type: 'data'; readonly chunk: Buffer }
  | { readonly type: 'end' }
  | { readonly type: 'error'; readonly error: NodeJS.ErrnoException }
  | { readonly type: 'timeout' };

export type RequestEffect =
  /** From now on, it is the answer that is waited for. */
  | { readonly type: 'await-answer' }
  | { readonly type: 'abort'; readonly reason: string }
  | { readonly type: 'result'; readonly result: ApiResult };

export type RequestRules = {
  /** Longest body, bytes. */
  readonly maxBytes: number;
  /** Takes secrets out of a text. */
  readonly redact: (text: string) => string;
};

type Step = { readonly state: RequestState; readonly effects: readonly RequestEffect[] };
type Running = Exclude<RequestState, { phase: 'over' }>;
type Answering = Extract<RequestState, { phase: 'answering' }>;

const over: RequestState = { phase: 'over' };

/** `at`: monotonic ms. */
export function nextRequest(state: RequestState, input: RequestInput, at: number, rules: RequestRules): Step {
  if (state.phase === 'over') {
    // Nothing is sent after the caller got "no connection in time".
    const effects: RequestEffect[] = input.type === 'sent' ? [{ type: 'abort', reason: 'timeout' }] : [];
    return { state, effects };
  }
  switch (input.type) {
    case 'sent':
      return { state: { phase: 'sent', startedAt: at }, effects: [{ type: 'await-answer' }] };
    case 'headers':
      return { state: afterHeaders(state, input.status, input.headers), effects: [] };
    case 'data':
      return state.phase === 'answering' ? takeData(state, input.chunk, at, rules) : { state, effects: [] };
    case 'end':
      return state.phase === 'answering' ? answered(state, false, at, rules) : { state, effects: [] };
    case 'error': {
      const { code, message } = input.error;
      return failed(errorKind(input.error), rules.redact(message || (code ?? '')), at - state.startedAt);
    }
    case 'timeout': {
      const waitedMs = at - state.startedAt;
      const { effects } = failed(timeouts[state.phase], `gave up after ${waitedMs} ms`, waitedMs);
      return { state: over, effects: [...effects, { type: 'abort', reason: 'timeout' }] };
    }
    default:
      return input satisfies never;
  }
}

const timeouts: Readonly<Record<Running['phase'], ApiErrorKind>> = {
  connecting: 'timeout-connect',
  sent: 'timeout-headers',
  answering: 'timeout-body',
};

function afterHeaders(state: Running, status: number, headers: Headers): RequestState {
  // An informational answer comes before the answer.
  if (status < 200) return state;
  return { phase: 'answering', startedAt: state.startedAt, status, headers, chunks: [], bytes: 0 };
}

function takeData(state: Answering, chunk: Buffer, at: number, rules: RequestRules): Step {
  const room = rules.maxBytes - state.bytes;
  const isTooLong = chunk.length > room;
  const chunks = [...state.chunks, isTooLong ? chunk.subarray(0, room) : chunk];
  const next = { ...state, chunks, bytes: state.bytes + chunk.length };
  if (!isTooLong) return { state: next, effects: [] };
  const { effects } = answered(next, true, at, rules);
  return { state: over, effects: [...effects, { type: 'abort', reason: 'answer too long' }] };
}

function answered(state: Answering, truncated: boolean, at: number, { redact }: RequestRules): Step {
  const { status, headers, chunks, startedAt } = state;
  // Without the byte order mark that some servers put before it.
  const text = Buffer.concat(chunks)
    .toString()
    .replace(/^\ufeff/, '');
  const retryAfter = header(headers['retry-after']);
  const location = header(headers.location);
  const date = header(headers.date);
  return resultIs({
    kind: 'answer',
    status,
    contentType: header(headers['content-type']) ?? '',
    ...(retryAfter !== undefined && { retryAfter }),
    ...(location !== undefined && { location: redact(location) }),
    ...(date !== undefined && { date }),
    body: status < 300 ? text : redact(text),
    truncated,
    durationMs: at - startedAt,
  });
}

function failed(error: ApiErrorKind, detail: string, durationMs: number): Step {
  return resultIs({ kind: 'failed', error, detail, durationMs });
}

function resultIs(result: ApiResult): Step {
  return { state: over, effects: [{ type: 'result', result }] };
}

function header(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
