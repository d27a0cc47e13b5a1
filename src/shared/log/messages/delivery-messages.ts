import type { Message } from './program-messages.ts';

/** Log messages about delivery and the comparison with the API's request history. */
export const deliveryMessages = {
  'delivery.delivered': {
    level: 'debug',
    text: 'delivered {status} of call {call}: {httpStatus} in {took}',
    means: 'The API has confirmed receipt of the event.',
  },
  'delivery.failed': {
    level: 'warn',
    text: '{status} of call {call} not delivered ({reason}); attempt {tries} failed, next in {wait}',
    means:
      'The event stays on disk and is sent again. Later events of this call wait for it; other calls do not.',
  },
  'delivery.failures': {
    level: 'warn',
    text: 'more failed attempts in the last {window}: {count}, most recently {status} of call {call} ({reason})',
    means: 'Many attempts fail. After the first few in a minute they are summarised. Nothing is lost.',
    todo: 'See the reason: the API has a fault, or does not answer in time.',
  },
  'delivery.paused': {
    announced: true,
    level: 'error',
    text: 'delivery paused: {reason}; events waiting: {waiting}, next attempt in {wait}',
    means:
      'The API rejects all requests of this bridge, not a single event. The bridge sends one test request at a time until one succeeds. Calls are still tracked and stored.',
    todo: 'Check API_TOKEN (401, 403) and API_BASE_URL (404, 405, a redirect). Delivery resumes by itself after the correction.',
  },
  'delivery.outage': {
    announced: true,
    level: 'error',
    text: 'API unavailable: {reason}; events waiting: {waiting}, next attempt in {wait}',
    means:
      'The API cannot be reached, or answers only with errors. Calls are still tracked and stored, and reported when it is back.',
    todo: 'See the reason: network, name server, firewall, certificate, or the API itself.',
  },
  'delivery.held': {
    announced: true,
    level: 'warn',
    text: 'delivery on hold: {reason}; events waiting: {waiting}, next attempt in {wait}',
    means: 'The API asked for fewer requests (429). The bridge waits as long as the API demands.',
    todo: 'If this happens often, ask the operator of the API for a higher limit.',
  },
  'delivery.resumed': {
    level: 'info',
    text: 'delivery resumed after {lasted}; events waiting: {waiting}',
    means: 'The API accepts events again. Waiting events are sent now, new calls first.',
  },
  'delivery.dead-letter': {
    level: 'error',
    text: '{status} of call {call} rejected after {tries} attempts ({reason}); kept as a dead letter',
    means:
      'The API does not accept this event. It is kept and listed, and can be sent again. Later events of the call are still sent.',
    todo: 'pbx-bridge outbox list shows the answer of the API. After removing the cause, run: pbx-bridge outbox retry --all.',
  },
  'delivery.expired': {
    level: 'error',
    text: 'events not delivered within {age}: {count}; kept as dead letters',
    means: 'Events older than 14 days are no longer sent automatically. They are kept and can be sent again.',
    todo: 'Find out why the API was unavailable for so long. If the events still matter, run: pbx-bridge outbox retry --all.',
  },
  'delivery.not-recorded': {
    level: 'error',
    text: 'cannot store the results of deliveries ({count}): {error}; retrying in {wait}',
    means:
      'The disk does not accept the results. After a restart these events would be sent again, which is harmless.',
    todo: 'Free space on the disk of STATE_DIR, or check its health.',
  },
  'delivery.queue-failed': {
    level: 'error',
    text: 'cannot read the events waiting for delivery: {error}; retrying',
    means: 'The disk fails on reading. New calls are still delivered if they can be stored.',
    todo: 'Check the health of the disk of STATE_DIR.',
  },
  'reconcile.sent-again': {
    level: 'warn',
    text: '{count} of {compared} confirmed events missing in the request history of the API, such as {status} of call {call}; sent again',
    means:
      'The API confirmed receipt (200) and lost these events afterwards. Sending them again is harmless: the state of a call only moves forward.',
    todo: 'If this happens often, inform the operator of the API. pbx-bridge explain shows each call.',
  },
  'reconcile.overtaken': {
    level: 'warn',
    text: 'confirmed events missing in the request history of the API: {count}, such as {status} of call {call}, but a later state of the call is there; not sent again',
    means: 'The API lost them, and would ignore them now: the state of a call only moves forward.',
    todo: 'If this happens often, inform the operator of the API.',
  },
  'reconcile.gave-up': {
    level: 'error',
    text: 'events still missing in the request history of the API after {tries} more attempts: {count}, such as {status} of call {call}; not sent again',
    means: 'The API confirms these events each time, but does not keep them.',
    todo: 'Inform the operator of the API. pbx-bridge verify lists the events; verify --resend sends them once more.',
  },
  'reconcile.not-understood': {
    level: 'error',
    text: 'cannot compare deliveries with the request history of the API: {reason}; nothing is sent again',
    means:
      'The history belongs to another account (API_TOKEN), or has an unknown format. Deliveries continue.',
    todo: 'Run pbx-bridge verify, and check that API_TOKEN is of the right account. RECONCILE_EVERY=0s turns the comparison off.',
  },
  'reconcile.too-much-missing': {
    level: 'error',
    text: 'too many events are missing in the request history of the API to be plausible: {reason}; nothing is sent again',
    means:
      'Either the API has lost most of what it confirmed, or its history is incomplete. Sending everything again would flood it.',
    todo: 'pbx-bridge verify lists what is missing; verify --resend sends it again.',
  },
  'reconcile.unreadable': {
    level: 'warn',
    text: 'cannot read the request history of the API: {reason}; retrying at the next comparison',
    means: 'Deliveries continue. Until this works, losses at the API are not noticed.',
  },
  'reconcile.working': {
    level: 'info',
    text: 'deliveries are compared with the request history of the API again; events this time: {compared}',
    means: 'The problem logged before is over.',
  },
  'reconcile.failed': {
    level: 'error',
    text: 'the comparison with the request history of the API failed: {error}; retrying at the next comparison',
    means: 'A fault in this program or on its disk. Deliveries continue.',
    todo: 'Check the health of the disk of STATE_DIR; if it is healthy, report this line.',
  },
  'standby.reported-by-other': {
    level: 'debug',
    text: 'events that the other bridge has already reported: {count}, such as of call {call}; nothing to send',
    means: 'This bridge is on standby (STANDBY_DELAY_MS), and the other bridge of this PBX works.',
  },
} as const satisfies Record<string, Message>;

/** Log messages about the outbox: the queue of events on disk. */
export const outboxMessages = {
  'outbox.full': {
    announced: true,
    level: 'error',
    text: 'the disk of {directory} is full: new events and delivery results wait in memory; retrying twice a second: {error}',
    means:
      'Calls are still tracked and lookups answered. Events in memory are lost if the bridge is stopped now: with CDR_SOURCE their calls are then reported from the call records. Events whose delivery could not be recorded are sent again, which is harmless.',
    todo: 'Free space on the disk. Waiting events are stored within a second, as far as they fit.',
  },
  'outbox.failing': {
    announced: true,
    level: 'error',
    text: 'the disk of {directory} fails: neither new events nor deliveries can be stored; retrying every 2 s: {error}',
    means: 'New events wait in memory, and are lost if the bridge is stopped now.',
    todo: 'Check the health, the mount and the permissions of the disk of STATE_DIR.',
  },
  'outbox.moved': {
    announced: true,
    level: 'error',
    text: '{error}: neither new events nor deliveries are stored',
    means:
      'The bridge still has the old file open, whose name now leads to nothing or to another file. New events wait in memory, and are lost if the file was deleted and the bridge is stopped. What it stored in the seconds before it noticed is in the old file.',
    todo: 'Put the file back, with its -wal, under the same name: the bridge goes on within seconds. Or restart the bridge: it goes on with what is under the name, and with a new queue if nothing is; the -wal of a replaced file is kept as outbox.db-wal.old-TIME.',
  },
  'outbox.working': {
    level: 'info',
    text: 'the disk of {directory} works again: all waiting events are stored',
    means: 'The disk accepts writes again, or the file is back, and nothing was lost.',
  },
  'outbox.repaired': {
    level: 'error',
    text: 'the outbox was damaged ({error}) and is replaced by a new one with what could be read of it; rows: {rows}; events still to be delivered: {waiting}, lost: {lost}; the damaged file is now {aside}',
    means:
      'A disk or memory fault, or another program, damaged the database. Each table is read from its beginning and from its end up to the damage; what lies between is lost. Calls that go on are found on the PBX; with CDR_SOURCE, calls may be reported from their records.',
    todo: 'Check the health of the disk. The damaged file may be deleted.',
  },
} as const satisfies Record<string, Message>;
