import type { Message } from './message.ts';

/** Log messages of delivery and the comparison with the API's history. */
export const deliveryMessages = {
  'delivery.delivered': {
    level: 'debug',
    text: '{status} of call {call} delivered: {httpStatus} in {took}',
    means: 'The API has confirmed receipt of the event.',
  },
  'delivery.failed': {
    level: 'warn',
    text: '{status} of call {call} not delivered ({reason}); try {tries} failed, next in {wait}',
    means:
      'The event stays on disk and is sent again. Later events of this call wait for it, other calls do not.',
  },
  'delivery.failures': {
    level: 'warn',
    text: '{count} more tries failed in the last {window}, the last one: {status} of call {call} ({reason})',
    means: 'Many tries fail; after the first few of a minute they are summed up. Nothing is lost.',
    todo: 'Look at the reason: the API has a fault, or does not answer in time.',
  },
  'delivery.paused': {
    level: 'error',
    text: 'delivery is paused: {reason}; {waiting} waiting, next try in {wait}',
    means:
      'The API refuses this bridge as such, not one event. Nothing is sent but one try now and then, until one works. Calls go on being taken.',
    todo: 'Check API_TOKEN (401, 403) and API_BASE_URL (404, 405, a redirect). The next try finds the correction.',
  },
  'delivery.outage': {
    level: 'error',
    text: 'no delivery for now: {reason}; {waiting} waiting, next try in {wait}',
    means:
      'The API cannot be reached, or answers nothing but errors. Calls go on being taken, and are told when it is back.',
    todo: 'Look at the reason: network, name server, firewall, certificate, or the API itself.',
  },
  'delivery.held': {
    level: 'warn',
    text: 'delivery is on hold: {reason}; {waiting} waiting, next try in {wait}',
    means: 'The API has asked for fewer requests (429). The bridge waits as long as the API says.',
    todo: 'If it comes back often, ask for a higher limit at the API.',
  },
  'delivery.resumed': {
    level: 'info',
    text: 'delivery goes on after {lasted}; {waiting} waiting',
    means: 'The API takes events again. What waits is sent now, new calls first.',
  },
  'delivery.dead-letter': {
    level: 'error',
    text: '{status} of call {call} given up after {tries} tries ({reason}); kept as a dead letter',
    means:
      'The API will not have this event. It is kept, listed and can be sent again; later events of the call go on.',
    todo: 'See what the API says about it, and send the dead letter again when the cause is gone.',
  },
  'delivery.expired': {
    level: 'error',
    text: '{count} events were not delivered within {age}; kept as dead letters',
    means:
      'Events older than OUTBOX_MAX_AGE are not sent by themselves any more. They are kept and can be sent again.',
    todo: 'Find out why the API was not reached for so long, and send the dead letters again if they still matter.',
  },
  'delivery.not-recorded': {
    level: 'error',
    text: 'could not record the outcome of {count} deliveries: {error}; tried again in {wait}',
    means:
      'The disk does not take what was delivered. After a restart these events would be sent again, which is harmless.',
    todo: 'Make room on the disk of STATE_DIR, or look at its health.',
  },
  'delivery.queue-failed': {
    level: 'error',
    text: 'could not read what is to be delivered: {error}; tried again soon',
    means:
      'The disk does not give what waits for delivery. New calls are still delivered if they can be taken.',
    todo: 'Look at the health of the disk of STATE_DIR.',
  },
  'reconcile.sent-again': {
    level: 'warn',
    text: '{count} of {compared} events that the API confirmed are not in its request history, such as {status} of call {call}; sent again',
    means:
      'A 200 confirms receipt only: the API has lost these afterwards. A call only moves forward, so sending them again is harmless.',
    todo: 'If it comes back often, tell whoever runs the API. pbx-bridge explain tells of each call.',
  },
  'reconcile.overtaken': {
    level: 'warn',
    text: '{count} events that the API confirmed are not in its request history, such as {status} of call {call}, but a later state of the call is; not sent again',
    means: 'The API lost them. It would discard them now, since a call only moves forward.',
    todo: 'If it comes back often, tell whoever runs the API.',
  },
  'reconcile.gave-up': {
    level: 'error',
    text: '{count} events are not in the request history of the API although they were sent again {tries} times, such as {status} of call {call}; left alone now',
    means: 'The API confirms these events each time, and does not keep them.',
    todo: 'Ask whoever runs the API why. pbx-bridge verify lists them; verify --resend sends them once more.',
  },
  'reconcile.not-understood': {
    level: 'error',
    text: 'what was delivered cannot be compared with the request history of the API: {reason}; nothing is sent again',
    means:
      'The history is that of another account (API_TOKEN), or looks different from what this program knows. Deliveries go on.',
    todo: 'pbx-bridge verify. Is API_TOKEN that of another account? RECONCILE_EVERY=0s turns the comparison off.',
  },
  'reconcile.too-much-missing': {
    level: 'error',
    text: 'so much is missing in the request history of the API that it is not believed: {reason}; nothing is sent again',
    means:
      'Either the API has lost most of what it confirmed, or its history shows only a part. Sending everything again would be a flood.',
    todo: 'pbx-bridge verify shows what is missing; verify --resend sends it again if you want that.',
  },
  'reconcile.unreadable': {
    level: 'warn',
    text: 'the request history of the API cannot be read: {reason}; tried again at the next comparison',
    means: 'Deliveries go on. Whether the API has kept what it confirmed is not known meanwhile.',
  },
  'reconcile.working': {
    level: 'info',
    text: 'what was delivered is compared with the request history of the API again; {compared} events this time',
    means: 'The trouble that was told of before is over.',
  },
  'reconcile.failed': {
    level: 'error',
    text: 'what was delivered could not be compared with the request history of the API: {error}; tried again at the next comparison',
    means: 'A fault of this program, or of its disk. Deliveries go on.',
    todo: 'Look at the health of the disk of STATE_DIR; otherwise report it.',
  },
  'standby.told-by-other': {
    level: 'debug',
    text: '{count} events were told by the other bridge already, such as of call {call}; nothing to send',
    means: 'This bridge stands by (STANDBY_DELAY_MS), and the other one on this PBX works.',
  },
} as const satisfies Record<string, Message>;
