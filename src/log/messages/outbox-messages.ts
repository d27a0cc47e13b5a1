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
    text: 'the outbox was damaged ({error}) and is repaired: {saved} events saved, {waiting} of them still to be delivered, {lost} lost; the damaged file is now {aside}',
    means:
      'A disk or memory fault, or another program, damaged the database. The bridge continues with all that could be read.',
    todo: 'Check the health of the disk. The damaged file may be deleted.',
  },
  'outbox.examined': {
    level: 'info',
    text: 'the outbox was read through while it worked, and nothing in it is damaged',
    means:
      'Up to 16 MiB the database is read through at each start; a bigger one in the background after it, and each day.',
  },
  'outbox.set-aside': {
    level: 'error',
    text: 'the outbox was damaged ({error}); it goes on in a new file with all open calls, and the rest of the damaged file, now {aside}, is read in the background',
    means:
      'A disk or memory fault, or another program, damaged a big database. Calls are told as ever; events of calls that are over come back within minutes.',
    todo: 'Look at the health of the disk, and wait for the line that says what was saved.',
  },
  'outbox.rescued': {
    level: 'error',
    text: 'of the damaged {aside}, {saved} events were saved, {waiting} of them still to be delivered; {lost} are lost',
    means: 'What could still be read of a damaged database is back in the outbox.',
    todo: 'The file that was set aside may be deleted.',
  },
  'outbox.rescue-failed': {
    level: 'error',
    text: 'what the damaged {aside} still holds cannot be brought back yet: {error}; tried again every 5 s',
    means: 'Mostly the disk is full: the rescue needs as much room as the damaged file for a while.',
    todo: 'Make room on the disk of STATE_DIR.',
  },
  'outbox.wal-repaired': {
    level: 'error',
    text: 'the newest part of the outbox was damaged; {saved} events were saved from it, {lost} are lost; a copy of it is now {aside}',
    means: 'A disk or memory fault damaged what was written last. What could be read of it was taken again.',
    todo: 'Look at the health of the disk. The file that was set aside may be deleted.',
  },
} as const satisfies Record<string, Message>;
