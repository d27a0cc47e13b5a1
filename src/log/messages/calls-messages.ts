import type { Message } from './message.ts';

/** Log messages of calls and call records. */
export const callsMessages = {
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
  'call.not-inbound': {
    level: 'info',
    text: 'call {call} is not told: {why}',
    means:
      'After a (re)connection a channel of a trunk was taken for an inbound call, and Asterisk then said that it made the call itself.',
  },
  'call.adopted': {
    level: 'info',
    text: 'call {call} {why}; taken up',
    means:
      'The call began while the bridge was not connected, or events of Asterisk were lost. It is told as any other, unless a line after this one says that it is not.',
  },
  'call.vanished': {
    level: 'info',
    text: 'call {call}: {why}; completed now',
    means:
      'The call ended while the bridge was not connected, or events of Asterisk were lost, so the time of its end is that of the reconnection. If it was answered in that time, that was not seen.',
  },
  'call.unreadable': {
    level: 'warn',
    text: 'what was saved of call {call} cannot be read; if it still goes on, it is taken up as a new one',
    means: 'Another version of the program, or damage to the disk, left a saved call that makes no sense.',
  },
  'call.not-stored': {
    level: 'error',
    text: 'stopping, although the disk has not taken what was heard last; waited {waited} s for it',
    means:
      'The disk of STATE_DIR fails or is full. What it has not taken is lost: calls that still go on are taken up at the next start.',
    todo: 'Look at the lines about the disk before this one.',
  },
  'cdr.from-now': {
    level: 'info',
    text: 'reading the call records in {source} from now on; calls from before are not told',
    means:
      'This is the first start with this CDR_SOURCE. From the next gap on, its calls are told from the records.',
  },
  'cdr.going-on': {
    level: 'info',
    text: 'reading the call records in {source} from where they were last read',
    means: 'Calls that began and ended while the bridge was not connected are found there, and told.',
  },
  'cdr.told': {
    level: 'info',
    text: 'call {call} from {from}, begun {began}, {outcome}: nobody heard it, told now from its record',
    means:
      'The call began and ended while the bridge was not connected. Its events are safe on disk, and will be delivered.',
  },
  'cdr.filled': {
    level: 'info',
    text: 'call records read: {told} calls told from them, {ended} open ones ended as they say, {unrecorded} ended without a record, {withheld} not told for want of a number; left alone: {known} told before, {seen} heard live, {old} from before the first start',
    means: 'The bridge has caught up with what happened while it was not connected.',
  },
  'cdr.lost-place': {
    level: 'warn',
    text: 'the records that {source} held when it was last read are gone; reading what is there now from its beginning',
    means:
      'The file was rotated and packed, emptied or replaced. Calls whose records went with it, and that were not heard, are not told.',
    todo: 'Have logrotate keep the last file unpacked (delaycompress), beside the new one.',
  },
  'cdr.unreadable': {
    level: 'warn',
    text: 'the call records in {source} cannot be read or worked on: {error}; tried again all the time',
    means:
      'Calls that nobody hears are not told until this works; nothing is skipped. Asterisk makes the file with its first record.',
    todo: 'pbx-bridge check says what is missing. Does CDR_SOURCE name the right place, may this user read it, and does Asterisk write there (cdr show status)?',
  },
  'cdr.readable': {
    level: 'info',
    text: 'the call records in {source} can be read again',
    means: 'Reading goes on where it stopped.',
  },
  'cdr.place-unsaved': {
    level: 'warn',
    text: 'how far the call records in {source} were read cannot be kept: {error}; reading goes on, and it is tried again all the time',
    means:
      'All calls are told. But a restart would begin at the place that was kept last: it knows what was told for as long as OUTBOX_KEEP says; and if no place was ever kept, calls of the time between are not told.',
    todo: 'Before a restart: is the disk of STATE_DIR full, and may this user write cdr-mark.json there?',
  },
  'cdr.place-saved': {
    level: 'info',
    text: 'how far the call records in {source} were read is kept again',
    means: 'After a restart, reading goes on from here.',
  },
  'cdr.no-uniqueid': {
    level: 'error',
    text: 'the call records in {source} do not say of which call they are; these are passed over',
    means: 'Without uniqueid a record cannot be told from the calls that were told before. Said once.',
    todo: 'In a file: set loguniqueid = yes in section [csv] of cdr.conf, then: module reload cdr_csv.so. In a table: let its column uniqueid be filled.',
  },
  'cdr.bad-line': {
    level: 'warn',
    text: 'the call records in {source} hold a line that is no record; it is passed over',
    means: 'Something else wrote there, or the disk was full. Said once.',
  },
} as const satisfies Record<string, Message>;
