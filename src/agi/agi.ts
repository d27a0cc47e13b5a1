import type { ApiResult } from '../api/result.ts';
import type { Log } from '../log/log.ts';
import { oncePerMinute } from '../log/once-per-minute.ts';
import { normaliseNumber } from '../phone-number/normalise-number.ts';
import type { Clock } from '../process/clock.ts';
import type { AgiRequest } from './agi-request.ts';
import { type AgiServer, type AgiServerOptions, createAgiServer } from './agi-server.ts';
import {
  type AnswerOptions,
  commandsFor,
  failed,
  notFound,
  type PriorityAnswer,
  timedOut,
} from './priority-answer.ts';
import { createPriorityLookup } from './priority-lookup.ts';
import { readPriority } from './read-priority.ts';

export type AgiOptions = {
  readonly server: AgiServerOptions;
  readonly answer: AnswerOptions;
  /** The field of the API's answer that has the priority. */
  readonly field: string;
  /** Ask the API as soon as an inbound call begins. */
  readonly askAhead: boolean;
  /** Most requests to the API at the same time. */
  readonly concurrency: number;
  /** How long answers are cached, ms, and for how many numbers; see PriorityLookupOptions. */
  readonly cache: {
    readonly freshMs: number;
    readonly staleMs: number;
    readonly notFoundMs: number;
    readonly entries: number;
  };
};

/** A lookup that the dialplan wants: for a number as it wrote it, on the channel with this Uniqueid. */
export type LookupRequest = Pick<AgiRequest, 'number' | 'isOwn' | 'uniqueid'>;

/** Whether a number may be sent to the API; `pending`: it is not known yet whether its caller withholds it. */
export type Permission = 'granted' | 'withheld' | 'pending';

/** Priority lookups for the dialplan: `agi://host:port/priority`. */
export type Agi = AgiServer & {
  /** An inbound call from this number, as the PBX wrote it, has just begun. */
  expect(number: string): void;
  /** Empties the cache, since the token or the address of the API is another now. */
  clear(): void;
  /** Counters of the answers since the start; `known`: answered at once from the cache. */
  status(): LookupCounters & { readonly listening: boolean };
};

type LookupCounters = Readonly<Record<'found' | 'notFound' | 'timeout' | 'error' | 'known', number>>;

const counterKeys = { FOUND: 'found', NOTFOUND: 'notFound', TIMEOUT: 'timeout', ERROR: 'error' } as const;

const SCRIPT = 'priority';

/** Longest text that is taken for a number; longer than any that can be dialled. */
const NUMBER_LENGTH = 64;

export function createAgi(
  options: AgiOptions,
  tools: {
    /** Asks the API for a number's priority; never rejects. */
    request: (number: string) => Promise<ApiResult>;
    /** Asked before each lookup; answers within `waitMs`. */
    permit: (request: LookupRequest, waitMs: number) => Permission | Promise<Permission>;
    /** ISO 3166 country that numbers without a country code belong to. */
    country: string | undefined;
    clock: Clock;
    log: Log;
  },
): Agi {
  const { clock, log, country } = tools;
  const lookup = createPriorityLookup(
    { ...options.cache, concurrency: options.concurrency, maxWaitMs: options.server.deadlineMs },
    { request: async (number) => readPriority(await tools.request(number), options.field), clock, log },
  );
  const scriptLog = oncePerMinute(clock.now);
  const counters = { found: 0, notFound: 0, timeout: 0, error: 0, known: 0 };

  /** The number as the API gets it, or '' if there is none to look up. */
  function normalised(raw: string): string {
    return raw.length > NUMBER_LENGTH ? '' : normaliseNumber(raw, country);
  }

  function priorityOf(request: AgiRequest, waitMs: number): PriorityAnswer | Promise<PriorityAnswer> {
    if (request.script !== SCRIPT) {
      scriptLog((more) => log.say('agi.unknown-script', { script: request.script.slice(0, 64), more }));
      return failed;
    }
    const number = normalised(request.number);
    if (number === '') return notFound;
    const began = clock.now();
    const permission = tools.permit(request, waitMs);
    const lookUp = (permission: Permission) => {
      if (permission === 'granted') return lookup.ask(number, waitMs - (clock.now() - began));
      return permission === 'withheld' ? notFound : timedOut;
    };
    return permission instanceof Promise ? permission.then(lookUp) : lookUp(permission);
  }

  const server = createAgiServer(options.server, {
    answer(request, waitMs) {
      const priority = priorityOf(request, waitMs);
      const commands = (it: PriorityAnswer) => {
        counters[counterKeys[it.status]] += 1;
        return commandsFor(it, options.answer, request.queuePrio);
      };
      if (priority instanceof Promise) return priority.then(commands);
      if (priority.status === 'FOUND' || priority.status === 'NOTFOUND') counters.known += 1;
      return commands(priority);
    },
    clock,
    log,
  });

  return {
    ...server,
    expect(raw) {
      const number = options.askAhead ? normalised(raw) : '';
      if (number !== '') lookup.expect(number);
    },
    clear: lookup.clear,
    status: () => ({ ...counters, listening: server.isListening() }),
  };
}
