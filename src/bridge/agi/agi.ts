import { type ApiClientOptions, createApiClient } from '../../shared/api/client.ts';
import type { ApiResult } from '../../shared/api/result.ts';
import { type Log, oncePerMinute } from '../../shared/log/log.ts';
import { escapeControls, maskNumbers } from '../../shared/log/redact.ts';
import { type Clock, monotonicClock } from '../../shared/process/clock.ts';
import type { Presentation } from '../calls/input.ts';
import { presentationVariables, readPresentation } from '../calls/presentation.ts';
import type { AgiRequest } from './agi-request.ts';
import { type AgiServerOptions, createAgiServer } from './agi-server.ts';
import {
  type AnswerOptions,
  commandsFor,
  notFound,
  type PriorityAnswer,
  timedOut,
} from './priority-answer.ts';
import { createPriorityLookup, lookupsAtOnce } from './priority-lookup.ts';
import { type LookupResult, type ResponseFields, readPriority } from './read-priority.ts';

export type AgiOptions = {
  readonly server: AgiServerOptions;
  readonly answer: AnswerOptions;
  /** Names of the fields of the priority and of the caller's name in the API's response. */
  readonly fields: ResponseFields;
};

/** A lookup by the dialplan: the number as written there, and the channel that asks. */
export type LookupRequest = Pick<AgiRequest, 'number' | 'isOwn' | 'uniqueid' | 'channel' | 'called'>;

/**
 * The number to look up, as it is reported; '' if there is none. Or why none may be sent: the caller withholds it, it is not
 * known yet (`pending`), or REPORT_RULES ignores the call, in words.
 */
export type NumberToLookUp =
  | { readonly number: string }
  | { readonly ignored: string }
  | 'withheld'
  | 'pending';

/**
 * Decides before a lookup which number may be sent; must answer within `waitMs`. `askCall` asks the call itself, over its
 * AGI connection, whether its caller lets the number be shown; it never resolves if no reply comes.
 */
export type Permit = (
  request: LookupRequest,
  waitMs: number,
  askCall: () => Promise<Presentation>,
) => NumberToLookUp | Promise<NumberToLookUp>;

export type AgiStatus = LookupCounts & {
  readonly listening: boolean;
  /** Requests for scripts that another FastAGI server has; absent if there were none. */
  readonly otherScripts?: OtherScripts | undefined;
};

/** `last` is the script of the last one, without phone numbers; `lastAt` is Unix ms. */
type OtherScripts = { readonly count: number; readonly last: string; readonly lastAt: number };

type LookupCounts = Readonly<Record<'found' | 'notFound' | 'timeout' | 'error' | 'cached', number>>;

const countKeys = { FOUND: 'found', NOTFOUND: 'notFound', TIMEOUT: 'timeout', ERROR: 'error' } as const;

const SCRIPT = 'priority';

/** Asks for all the variables at once: `200 result=1 (allowed,,,allowed)`. */
const presentationQuestion = `GET FULL VARIABLE ${presentationVariables.map((name) => `\${${name}}`).join(',')}`;

/** Longer than any number that can be dialled. */
const MAX_NUMBER_LENGTH = 64;

/** Priority lookups for the dialplan: `agi://host:port/priority`. */
export function createAgi(
  options: AgiOptions,
  tools: {
    /** Requests a number's priority from the API; never rejects. */
    request: (number: string) => Promise<ApiResult>;
    permit: Permit;
    clock: Clock;
    log: Log;
  },
) {
  const { clock, log } = tools;
  const lookup = createPriorityLookup(
    { maxWaitMs: options.server.deadlineMs },
    { request: async (number) => readAnswer(await tools.request(number), options.fields), clock, log },
  );
  const unknownScript = oncePerMinute(clock.now);
  const counts = { found: 0, notFound: 0, timeout: 0, error: 0, cached: 0 };
  let otherScripts: OtherScripts | undefined;

  function priorityOf(
    request: AgiRequest,
    waitMs: number,
    askCall: () => Promise<Presentation>,
  ): PriorityAnswer | Promise<PriorityAnswer> {
    if (request.number === '' || request.number.length > MAX_NUMBER_LENGTH)
      return { ...notFound, why: 'there is no number' };
    const began = clock.now();
    const permitted = tools.permit(request, waitMs, askCall);
    const lookUp = (it: NumberToLookUp) => {
      if (it === 'pending')
        return { ...timedOut, why: 'it is not known yet whether the caller withholds the number' };
      if (it === 'withheld') return { ...notFound, why: 'the caller withholds the number' };
      if ('ignored' in it) return { ...notFound, why: `the call is ignored by ${it.ignored}` };
      if (it.number === '') return { ...notFound, why: 'there is no number' };
      const priority = lookup.get(it.number, waitMs - (clock.now() - began));
      if (!(priority instanceof Promise) && priority.status !== 'TIMEOUT') counts.cached += 1;
      return priority;
    };
    return permitted instanceof Promise ? permitted.then(lookUp) : lookUp(permitted);
  }

  function noteOtherScript(request: AgiRequest): void {
    const script = maskNumbers(escapeControls(request.script.slice(0, 64))) || '(no name)';
    otherScripts = { count: (otherScripts?.count ?? 0) + 1, last: script, lastAt: Date.now() };
    unknownScript((more) => log.say('agi.unknown-script', { script, more }));
  }

  const server = createAgiServer(options.server, {
    answer(request, waitMs, ask) {
      if (request.script !== SCRIPT) {
        noteOtherScript(request);
        // Without a command the session is over at once, no variable is touched, and the dialplan goes on.
        return [];
      }
      const priority = priorityOf(request, waitMs, async () =>
        presentationIn(await ask(presentationQuestion)),
      );
      const commands = (it: PriorityAnswer) => {
        counts[countKeys[it.status]] += 1;
        return commandsFor(it, options.answer, request);
      };
      return priority instanceof Promise ? priority.then(commands) : commands(priority);
    },
    clock,
    log,
  });

  return {
    ...server,
    /** Prefetches the priority for an inbound call that has just begun; `number` as it is reported. */
    prefetch: lookup.prefetch,
    /** Empties the cache, as after a change of the API token. */
    clear: lookup.clear,
    /** Lookups since the start by result; `cached`: those answered from the cache. */
    status: (): AgiStatus => ({ ...counts, listening: server.isListening(), otherScripts }),
  };
}

function readAnswer(result: ApiResult, fields: ResponseFields): LookupResult {
  const read = readPriority(result, fields);
  return result.kind === 'answer' ? { ...read, httpStatus: result.status } : read;
}

function presentationIn(reply: string): Presentation {
  return readPresentation((/^200 result=1 \((.*)\)/.exec(reply)?.[1] ?? '').split(','));
}

/** Priority lookups for the dialplan; `parameter` is the number's name in the API's query. */
export type LookupOptions = AgiOptions & { readonly parameter: string };

/** Shortest timeout of a lookup, ms: an answer that is late for one call is still good for the next. */
const LOOKUP_MS = 2_000;

export type Lookups = ReturnType<typeof createLookups>;

/** Lookups have connections of their own: they never wait behind call events, and never delay them. */
export function createLookups(
  { parameter, ...options }: LookupOptions,
  {
    api,
    permit,
    log,
  }: {
    api: ApiClientOptions;
    permit: Permit;
    log: Log;
  },
) {
  const timeoutMs = Math.max(LOOKUP_MS, 2 * options.server.deadlineMs);
  const client = createApiClient({
    ...api,
    connections: lookupsAtOnce,
    connectTimeoutMs: timeoutMs,
    answerTimeoutMs: timeoutMs,
  });
  const agi = createAgi(options, {
    request: (number) => client.priority({ parameter, number }),
    permit,
    clock: monotonicClock,
    log,
  });
  let { token } = api;
  return {
    agi,
    /** A new token also clears the cache, which may be of another account. The same token changes nothing. */
    changeToken(next: string) {
      if (next === token) return;
      token = next;
      client.changeToken(token);
      agi.clear();
    },
    async stop() {
      await agi.stop();
      await client.close();
    },
  };
}
