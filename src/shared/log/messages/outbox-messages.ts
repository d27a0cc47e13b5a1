import type { Message } from './message.ts';

/** Log messages about the outbox: the queue of events on disk. */
export const outboxMessages = {
  'outbox.full': {
    level: 'error',
    text: 'the disk of {directory} is full: new events and delivery results wait in memory; retrying twice a second: {error}',
    means:
      'Calls are still tracked and lookups answered. Events in memory are lost if the bridge is stopped now: with CDR_SOURCE their calls are then reported from the call records. Events whose delivery could not be recorded are sent again, which is harmless.',
    todo: 'Free space on the disk. Waiting events are stored within a second, as far as they fit.',
  },
  'outbox.failing': {
    level: 'error',
    text: 'the disk of {directory} fails: neither new events nor deliveries can be stored; retrying every 2 s: {error}',
    means: 'New events wait in memory, and are lost if the bridge is stopped now.',
    todo: 'Check the health, the mount and the permissions of the disk of STATE_DIR.',
  },
  'outbox.working': {
    level: 'info',
    text: 'the disk of {directory} works again: all waiting events are stored',
    means: 'The disk accepts writes again, and nothing was lost.',
  },
  'outbox.repaired': {
    level: 'error',
    text: 'the outbox was damaged ({error}) and is replaced by a new one with what could be read of it; rows: {rows}; events still to be delivered: {waiting}, lost: {lost}; the damaged file is now {aside}',
    means:
      'A disk or memory fault, or another program, damaged the database. Each table is read from its beginning and from its end up to the damage; what lies between is lost. Calls that go on are found on the PBX; with CDR_SOURCE, calls may be reported from their records.',
    todo: 'Check the health of the disk. The damaged file may be deleted.',
  },
} as const satisfies Record<string, Message>;
