import { allowList, isAddressOrNetwork } from '../agi/allow-list.ts';
import { safeValue } from '../agi/priority-answer.ts';
import { section } from './section.ts';
import { duration, line, list, listen, wholeNumber, yesNo } from './variable.ts';

const loopback = '127.0.0.0/8,::1';
const mapping = /^([^=]+)=(-?\d{1,9})$/;
const name = /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/;

function mappingOf(item: string): [string, number] | undefined {
  const [, value = '', prio] = mapping.exec(item) ?? [];
  return safeValue.test(value) ? [value, Number(prio)] : undefined;
}

/** True for an address that only this machine can connect to; of a name, nothing is known. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || allowList(loopback.split(','))(host);
}

export const agiSection = section({
  title: 'Priority lookups from the dialplan: AGI(agi://127.0.0.1:4573/priority)',
  shape: {
    AGI_LISTEN: listen().prefault('127.0.0.1:4573').describe('Where Asterisk asks.'),
    AGI_ALLOW: list(
      'addresses or networks with commas between them, such as 10.0.0.5,10.1.0.0/16',
      isAddressOrNetwork,
    )
      .prefault(loopback)
      .describe('Who may ask: the PBX, where it is another machine.'),
    AGI_DEADLINE_MS: wholeNumber(50, 5_000)
      .prefault('500')
      .describe('The longest that a call may be held, in milliseconds, whatever happens.'),
    AGI_DEFAULT_PRIORITY: line(
      'a number or a word of 1 to 32 letters, digits, dots, dashes or underscores',
      safeValue,
    )
      .prefault('0')
      .describe('CALLER_PRIORITY where the API gives none, or not in time.'),
    AGI_SET_QUEUE_PRIO: yesNo()
      .prefault('no')
      .describe('Set QUEUE_PRIO too, which Queue() reads; the dialplan can say ?queue_prio=yes or =no.'),
    AGI_QUEUE_PRIO_MAP: list(
      'priorities and whole numbers with commas between them, such as gold=20,silver=10',
      (item) => mappingOf(item) !== undefined,
    )
      .prefault('')
      .describe(
        "From the API's priority to QUEUE_PRIO, where higher is served first. What is not here stays as it is if it is a whole number, and is 0 if not.",
      ),
    AGI_VERBOSE: yesNo().prefault('yes').describe("Show each answer in Asterisk's console (verbose 1)."),
    AGI_ASK_AHEAD: yesNo()
      .prefault('yes')
      .describe('Ask the API as soon as an inbound call begins, before the dialplan does.'),
    AGI_CONCURRENCY: wholeNumber(1, 100)
      .prefault('8')
      .describe('Most lookups that the API gets at the same time.'),
    AGI_CACHE_FRESH: duration('0s', '24h')
      .prefault('60s')
      .describe('How long a priority counts without asking again.'),
    AGI_CACHE_STALE: duration('0s', '30d')
      .prefault('24h')
      .describe('How long it counts while the API fails.'),
    AGI_CACHE_NOT_FOUND: duration('0s', '24h')
      .prefault('30s')
      .describe('How long it counts that a caller has none.'),
    AGI_CACHE_ENTRIES: wholeNumber(1, 1_000_000)
      .prefault('10000')
      .describe('Most callers that are remembered.'),
    PRIORITY_PARAM: line('a name of letters, digits, dots, dashes or underscores', name)
      .prefault('number')
      .describe("The name under which the API's GET /voice/priority takes the number."),
    PRIORITY_FIELD: line('a name of letters, digits, dots, dashes or underscores', name)
      .prefault('priority')
      .describe('The name of the priority in its answer, at the top or under data.'),
  },
  conflicts: ({ AGI_LISTEN, AGI_ALLOW }) => {
    const onlyThisMachine = AGI_ALLOW.every((entry) => isLoopback(entry.split('/')[0] ?? ''));
    return AGI_LISTEN !== undefined && !isLoopback(AGI_LISTEN.host) && onlyThisMachine
      ? [
          `AGI_ALLOW: lets only this machine ask, but AGI_LISTEN is ${AGI_LISTEN.host}; name the PBX in AGI_ALLOW`,
        ]
      : [];
  },
  build: (values) =>
    values.AGI_LISTEN && {
      server: { ...values.AGI_LISTEN, allow: values.AGI_ALLOW, deadlineMs: values.AGI_DEADLINE_MS },
      answer: {
        defaultPriority: values.AGI_DEFAULT_PRIORITY,
        setQueuePrio: values.AGI_SET_QUEUE_PRIO,
        queuePrio: Object.fromEntries(
          values.AGI_QUEUE_PRIO_MAP.map(mappingOf).filter((pair) => pair !== undefined),
        ),
        verbose: values.AGI_VERBOSE,
      },
      parameter: values.PRIORITY_PARAM,
      field: values.PRIORITY_FIELD,
      askAhead: values.AGI_ASK_AHEAD,
      concurrency: values.AGI_CONCURRENCY,
      cache: {
        freshMs: values.AGI_CACHE_FRESH,
        staleMs: values.AGI_CACHE_STALE,
        notFoundMs: values.AGI_CACHE_NOT_FOUND,
        entries: values.AGI_CACHE_ENTRIES,
      },
    },
});
