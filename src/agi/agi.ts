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
  /** Where in the API's answer the priority stands. */
  readonly field: string;
  /** Ask the API as soon as an inbound call begins. */
  readonly askAhead: boolean;
  /** Most requests to the API at the same time. */
  readonly concurrency: number;
  /** How long answers count, ms, and how many numbers are remembered; see the lookup. */
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
  /** Forgets what the API said: the token or the address is another now. */
  clear(): void;
  /** What the dialplan was told since the start; `known`: at once, from what was known. */
  status(): LookupTally & { readonly listening: boolean };
};

type LookupTally = Readonly<Record<'found' | 'notFound' | 'timeout' | 'error' | 'known', number>>;

const tallyKeys = { FOUND: 'found', NOTFOUND: 'notFound', TIMEOUT: 'timeout', ERROR: 'error' } as const;

const SCRIPT = 'priority';

/** Longer than any number that can be dialled; what is longer is none. */
const NUMBER_LENGTH = 64;

export function createAgi(
  options: AgiOptions,
  tools: {
    /** Asks the API for a number's priority; never fails. */
    request: (number: string) => Promise<ApiResult>;
    /** Asked before each lookup; has at most so long, ms. */
    permit: (request: LookupRequest, waitMs: number) => Permission | Promise<Permission>;
    /** ISO 3166 country that numbers without a country code belong to. */
    country: string | undefined;
    clock: Clock;
    log: Log;
  },
): Agi {
  const { clock, log, country } = tools;
  const lookup = createPriorityLookup(
    { ...options.cache, concurrency: options.concurrency, patienceMs: options.server.deadlineMs },
    { request: async (number) => readPriority(await tools.request(number), options.field), clock, log },
  );
  const ofScripts = oncePerMinute(clock.now);
  const tally = { found: 0, notFound: 0, timeout: 0, error: 0, known: 0 };

  /** The number as the API gets it, or '' if there is none to look up. */
  function normalised(raw: string): string {
    return raw.length > NUMBER_LENGTH ? '' : normaliseNumber(raw, country);
  }

  function priorityOf(request: AgiRequest, waitMs: number): PriorityAnswer | Promise<PriorityAnswer> {
    if (request.script !== SCRIPT) {
      ofScripts((more) => log.say('agi.unknown-script', { script: request.script.slice(0, 64), more }));
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
        tally[tallyKeys[it.status]] += 1;
        return commandsFor(it, options.answer, request.queuePrio);
      };
      if (priority instanceof Promise) return priority.then(commands);
      if (priority.status === 'FOUND' || priority.status === 'NOTFOUND') tally.known += 1;
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
    status: () => ({ ...tally, listening: server.isListening() }),
  };
}
