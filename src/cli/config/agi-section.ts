import { safeValue } from '../../bridge/agi/priority-answer.ts';
import { allowList, isAddressOrNetwork } from '../../shared/process/allow-list.ts';
import { line, list, listen, listOf, section, wholeNumber, yesNo } from './variable.ts';

const loopback = '127.0.0.0/8,::1';
const mapping = /^([^=]+)=(-?\d{1,9})$/;
const name = /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/;

function mappingOf(item: string): [string, number] | undefined {
  const [, value = '', prio] = mapping.exec(item) ?? [];
  return safeValue.test(value) ? [value, Number(prio)] : undefined;
}

/** True for an address that only this machine can connect to. Host names other than localhost are not resolved. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || allowList(loopback.split(','))(host);
}

export const agiSection = section({
  title: 'Priority lookups from the dialplan: AGI(agi://127.0.0.1:9437/priority)',
  shape: {
    AGI_LISTEN: listen()
      .prefault('127.0.0.1:9437')
      .describe('Address of the FastAGI server. If the dialplan uses no priorities, set it to off.'),
    AGI_ALLOW: list(
      'a comma-separated list of addresses or networks, such as 10.0.0.5,10.1.0.0/16',
      isAddressOrNetwork,
    )
      .prefault(loopback)
      .describe('Addresses that may connect. Add the PBX if it is another machine.'),
    AGI_DEADLINE_MS: wholeNumber(50, 5_000)
      .prefault('500')
      .describe(
        'Deadline of a lookup in milliseconds: a call is never delayed longer. A quarter of it is kept for setting the variables.',
      ),
    AGI_DEFAULT_PRIORITY: line(
      'a number or a word of 1 to 32 letters, digits, dots, dashes or underscores',
      safeValue,
    )
      .prefault('0')
      .describe('CALLER_PRIORITY if the API has no priority for the caller or does not respond in time.'),
    AGI_SET_QUEUE_PRIO: yesNo()
      .prefault('no')
      .describe(
        'Also set QUEUE_PRIO, which Queue() reads. The dialplan can override it with ?queue_prio=yes or =no.',
      ),
    AGI_QUEUE_PRIO_MAP: listOf(
      'a comma-separated list of priorities and whole numbers, such as gold=20,silver=10',
      mappingOf,
    )
      .prefault('')
      .describe(
        "Maps the API's priorities to QUEUE_PRIO; higher is served first. A whole number that is not listed is used as it is, any other value becomes 0.",
      ),
    PRIORITY_PARAM: line('a name of letters, digits, dots, dashes or underscores', name)
      .prefault('number')
      .describe("Name of the query parameter for the number in the API's GET /voice/priority."),
    PRIORITY_FIELD: line('a name of letters, digits, dots, dashes or underscores', name)
      .prefault('priority')
      .describe('Name of the priority field in the response, at the top level or under data.'),
    PRIORITY_NAME_FIELD: line('a name of letters, digits, dots, dashes or underscores', name)
      .prefault('name')
      .describe(
        "Name of the field with the caller's name in the response, at the top level or under data. It is set as CALLERID(name) if the dialplan asks for it with ?set_name=yes.",
      ),
  },
  conflicts: ({ AGI_LISTEN, AGI_ALLOW }) => {
    const onlyThisMachine = AGI_ALLOW.every((entry) => isLoopback(entry.split('/')[0] ?? ''));
    return AGI_LISTEN !== undefined && !isLoopback(AGI_LISTEN.host) && onlyThisMachine
      ? [
          `AGI_ALLOW: allows only this machine, but AGI_LISTEN is ${AGI_LISTEN.host}; add the PBX to AGI_ALLOW`,
        ]
      : [];
  },
  build: (values) =>
    values.AGI_LISTEN && {
      server: { ...values.AGI_LISTEN, allow: values.AGI_ALLOW, deadlineMs: values.AGI_DEADLINE_MS },
      answer: {
        defaultPriority: values.AGI_DEFAULT_PRIORITY,
        setQueuePrio: values.AGI_SET_QUEUE_PRIO,
        queuePrio: Object.fromEntries(values.AGI_QUEUE_PRIO_MAP),
      },
      parameter: values.PRIORITY_PARAM,
      fields: { priority: values.PRIORITY_FIELD, name: values.PRIORITY_NAME_FIELD },
    },
});
