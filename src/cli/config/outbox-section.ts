import { duration, line, listen, section, wholeNumber } from './variable.ts';

export const outboxSection = section({
  title: 'Stored state: open calls, events, journal',
  shape: {
    STATE_DIR: line('the path of a directory')
      .prefault('./state')
      .describe(
        "Directory for open calls, events and the journal. Under systemd: the unit's state directory.",
      ),
    OUTBOX_KEEP: duration('1h', '365d')
      .prefault('7d')
      .describe('How long delivered events are kept, for explain, verify and list.'),
    RECONCILE_EVERY: duration('0s', '1d')
      .prefault('5m')
      .describe(
        'How often deliveries are compared with the request history of the API; missing events are sent again. 0s: never.',
      ),
    STANDBY_DELAY_MS: wholeNumber(0, 600_000)
      .prefault('0')
      .describe(
        'For the second of two bridges on one PBX: after this many milliseconds without a new event of a call, it checks what the other bridge has reported, and reports the rest. 0: reports everything at once.',
      ),
    JOURNAL_KEEP: duration('0s', '90d')
      .prefault('7d')
      .describe(
        'How long the journal for pbx-bridge explain is kept: what was seen of each call, and why it was reported or not. 0s: no journal.',
      ),
  },
  build: (values) => ({
    stateDir: values.STATE_DIR,
    keepMs: values.OUTBOX_KEEP,
    reconcileEveryMs: values.RECONCILE_EVERY,
    standbyDelayMs: values.STANDBY_DELAY_MS,
    journalKeepMs: values.JOURNAL_KEEP,
  }),
});

export const statusSection = section({
  title: 'Status server: /status.json, /metrics, /healthz and /readyz',
  shape: {
    STATUS_LISTEN: listen()
      .prefault('127.0.0.1:9438')
      .describe(
        'Address of the status server, for pbx-bridge status and Prometheus. It shows no phone numbers and no calls.',
      ),
  },
  build: ({ STATUS_LISTEN }) => STATUS_LISTEN,
});
