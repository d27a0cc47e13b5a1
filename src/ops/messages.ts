/**
 * Every line that the programs log: its level, its text, what it means and what to do about it.
 * One place for each message; `{name}` in a text is a field given with it. The page of messages is made from this.
 */
export type Message = {
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'fatal';
  readonly text: string;
  /** What an operator who does not know the code should understand by it. */
  readonly means: string;
  /** What to do; absent when nothing needs doing. */
  readonly todo?: string;
};

export const messages = {
  // The program
  'program.started': {
    level: 'info',
    text: 'pbx-bridge {version} runs as {pbxId}, tells {api}, keeps its state in {stateDir}; {openCalls} calls open, {waiting} events waiting',
    means: 'All parts of the bridge have started. Calls open and events waiting are from before the restart.',
  },
  'program.stopping': {
    level: 'info',
    text: 'got {signal}, stopping; what is not delivered stays on disk',
    means: 'The service manager or a person asked the program to stop.',
  },
  'program.stopped': {
    level: 'info',
    text: 'stopped',
    means: 'The program has released everything and ends with exit code 0.',
  },
  'program.stop-failed': {
    level: 'warn',
    text: '{part} did not stop cleanly ({error}); going on with the others',
    means:
      'One part of the program could not release what it held. Nothing that was taken is lost: it is on disk.',
  },
  'program.failed': {
    level: 'fatal',
    text: 'cannot go on: {error}; ending with exit code 1, so that the service manager starts it again',
    means:
      'A part that the program cannot do without has failed. Open calls and undelivered events are on disk.',
    todo: 'Look at the error. If it comes back after the restart, the disk or the state folder is the usual cause.',
  },

  // Calls
  'call.ringing': {
    level: 'info',
    text: 'call {call} ringing from {from}; taken, will be delivered',
    means: 'An inbound call rings. Its event is safe on disk.',
  },
  'call.answered': {
    level: 'info',
    text: 'call {call} from {from} answered by {callerId}; taken, will be delivered',
    means: 'A person was connected with the caller. The event is safe on disk.',
  },
  'call.completed': {
    level: 'info',
    text: 'call {call} from {from} completed, {outcome}; taken, will be delivered',
    means: 'The caller has hung up, or was hung up. The event is safe on disk.',
  },
  'call.not-told': {
    level: 'info',
    text: 'call {call} is not told: {why}',
    means: 'The API requires a number, and this caller shows none. The call is counted, and nothing is sent.',
    todo: 'Set WITHHELD_NUMBER to have such calls told under a number of your choice.',
  },
  'call.told-late': {
    level: 'info',
    text: 'call {call} is told after all: {why}',
    means: 'The number of a call that was not told for want of one has arrived.',
  },
  'call.adopted': {
    level: 'info',
    text: 'call {call} {why}; told from here on',
    means: 'The call began while the bridge was not connected, and goes on.',
  },
  'call.vanished': {
    level: 'info',
    text: 'call {call}: {why}; completed now',
    means:
      'The call ended while the bridge was not connected, so the time of its end is that of the reconnection.',
  },
  'call.not-saved': {
    level: 'error',
    text: 'could not keep {events} events on disk: {error}; they are held in memory and tried again',
    means: 'The state folder does not take writes. New calls are not safe until it does.',
    todo: 'Make room on the disk of STATE_DIR, or look at its permissions and its health.',
  },

  // The PBX
  'ami.connected': {
    level: 'info',
    text: 'connected to Asterisk {version} at {address}; {channels} channels there now',
    means: 'The link to the PBX is up, the login worked and the channels in progress were read.',
  },
} as const satisfies Record<string, Message>;

export type MessageCode = keyof typeof messages;
