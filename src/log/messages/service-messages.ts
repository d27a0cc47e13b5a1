import type { Message } from './message.ts';

/** Log messages of the service. */
export const serviceMessages = {
  'service.storage': {
    level: 'info',
    text: 'an acknowledged event is {survives} ({engine})',
    means: 'Where events are stored, and what they survive there once they are answered 200.',
  },
  'service.storage-unsafe': {
    level: 'warn',
    text: 'an acknowledged event is {survives} ({engine})',
    means: 'As the database is set up, an event that was answered 200 can be lost although no disk is.',
    todo: 'Set synchronous_commit and full_page_writes of the PostgreSQL server to on, or live with it.',
  },
  'service.started': {
    level: 'info',
    text: 'the Call Integration API answers at {url}/api/v1; {accounts} accounts, {integrations} integrations',
    means: 'The service listens, and everything it answers is stored first.',
  },
  'service.first-start': {
    level: 'info',
    text: 'first start: made account {account}, integration {integration} and the server secret in {stateDir}; pbx-bridge service link signs a browser in',
    means:
      'The state folder was empty. Every token is derived from the server secret: keep it with the backups.',
    todo: 'Run pbx-bridge service link to sign in, and pbx-bridge service token for the lines of .env.',
  },
  'service.not-stored': {
    level: 'error',
    text: 'could not store a request: {error}; events are answered 503 until it works again',
    means:
      'The database does not take writes. Clients keep their events and send them again: nothing is lost.',
    todo: "Make room on the state folder's disk, or look at its permissions and its health. With DATABASE_URL: look at the database.",
  },
  'service.storing-again': {
    level: 'info',
    text: 'requests are stored again',
    means: 'The database takes writes again.',
  },
  'service.failed': {
    level: 'error',
    text: 'a request to {path} failed: {error}; it was answered 500',
    means: 'The service met something that it does not expect. Other requests go on.',
    todo: 'Report it, with this line.',
  },
  'service.screen-too-slow': {
    level: 'warn',
    text: 'cut off a screen that did not read its events; it connects again by itself',
    means:
      'A browser was asleep or its network too slow. After it connects again, it shows what is true then.',
  },
  'service.sign-in-limited': {
    level: 'warn',
    text: 'refused to try another password from {address}: too many were wrong in a quarter of an hour',
    means: 'Somebody has forgotten a password, or tries those of others. Other places can still sign in.',
    todo: 'If it is nobody you know, keep the address out at the firewall.',
  },
  'service.trimmed': {
    level: 'info',
    text: 'deleted {entries} entries of request history, as the retention says',
    means: 'The retention settings are at work.',
  },
  'service.trim-failed': {
    level: 'warn',
    text: 'could not delete old request history: {error}; tried again in a minute',
    means: 'The history grows until this works again.',
    todo: "Look at the state folder's disk.",
  },
  'service.digest-failed': {
    level: 'warn',
    text: 'could not digest the newest request history: {error}; tried again in a minute',
    means:
      'A text search reads all that has no digest yet, and takes longer with every day. It finds the same.',
    todo: 'Look at the database.',
  },
  'service.figures-failed': {
    level: 'warn',
    text: 'could not count the calls of the last days for the reports: {error}; tried again in ten minutes',
    means: 'Reports are right all the same. Whoever asks first for those days waits while they are counted.',
    todo: 'Look at the database.',
  },
} as const satisfies Record<string, Message>;
