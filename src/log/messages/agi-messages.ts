import type { Message } from './message.ts';

/** Log messages of priority lookups. */
export const agiMessages = {
  'agi.listening': {
    level: 'info',
    text: 'priority lookups: listening for the dialplan on {host} port {port}',
    means: 'AGI(agi://{host}:{port}/priority) in the dialplan is answered.',
  },
  'agi.not-listening': {
    level: 'error',
    text: 'priority lookups: cannot listen on {host} port {port}: {error}; tried again every 5 s, calls are told meanwhile',
    means:
      'Another program has the port, or the address is not of this machine. AGI() fails at once in the dialplan.',
    todo: 'Set AGI_LISTEN to a free port, or to off if the dialplan asks for no priorities.',
  },
  'agi.lookup-failed': {
    level: 'warn',
    text: 'no priority for {number}: {reason}; the call goes on with what was known, or with the default ({more} more since this was last said)',
    means:
      'The API did not answer a priority lookup as it should. No call waits for it. Said once a minute at most.',
    todo: 'If the answer has no such field, set PRIORITY_FIELD and PRIORITY_PARAM. Else look at the API, as for delivery.',
  },
  'agi.lookup-late': {
    level: 'warn',
    text: 'no priority for {number} within {waited} ms; the call goes on with what was known, or with the default ({more} more since this was last said)',
    means:
      'The API is slow. Its answer, when it comes, is kept for the next call from there. Said once a minute at most.',
    todo: 'Callers can be made to wait longer with AGI_DEADLINE_MS.',
  },
  'agi.unknown-script': {
    level: 'warn',
    text: 'the dialplan asks for agi://.../{script}, which there is not; answered ERROR ({more} more since this was last said)',
    means: 'The only script is /priority. Said once a minute at most.',
    todo: 'Correct the address in the dialplan: AGI(agi://HOST:PORT/priority).',
  },
  'agi.command-refused': {
    level: 'warn',
    text: 'Asterisk refused a command of the priority lookup: {reply} ({more} more since this was last said)',
    means: 'A variable may not have been set on the channel. Said once a minute at most.',
    todo: 'Report it, with the version of Asterisk.',
  },
  'agi.cut-off': {
    level: 'warn',
    text: 'cut off a priority lookup at the deadline of {deadline} ms (phase: {phase}); the dialplan goes on ({more} more since this was last said)',
    means:
      'Asterisk, or whoever connected, did not say or take what it should in time. Said once a minute at most.',
    todo: 'In the phase request, something else than Asterisk connects to AGI_LISTEN.',
  },
  'agi.stranger': {
    level: 'warn',
    text: 'priority lookups: {address} may not ask and was cut off ({more} more since this was last said)',
    means: 'A connection from an address that AGI_ALLOW does not name. Said once a minute at most.',
    todo: 'If it is the PBX, add it to AGI_ALLOW; if not, let a firewall keep it away.',
  },
  'agi.too-many': {
    level: 'warn',
    text: 'priority lookups: more than {most} connections at once; the newest are cut off ({more} more since this was last said)',
    means: 'No PBX sets up so many calls at once. Something floods the port. Said once a minute at most.',
    todo: 'Let a firewall keep all but the PBX away from AGI_LISTEN.',
  },
  'agi.not-accepted': {
    level: 'error',
    text: 'priority lookups: a connection could not be taken: {error} ({more} more since this was last said)',
    means: 'The system has no file descriptors or memory left for a connection. Said once a minute at most.',
    todo: 'Raise LimitNOFILE in the unit, or find what uses them up.',
  },
} as const satisfies Record<string, Message>;
