import { section } from './section.ts';
import { duration, line, wholeNumber } from './variable.ts';

export const outboxSection = section({
  title: 'What must not be lost',
  shape: {
    STATE_DIR: line('the path of a folder')
      .prefault('./state')
      .describe(
        "Where open calls and undelivered events are kept; under systemd, the unit's state directory.",
      ),
    OUTBOX_MAX_AGE: duration('1h', '365d')
      .prefault('14d')
      .describe(
        'Events that could not be delivered for so long are parked as dead letters, kept and resendable.',
      ),
    OUTBOX_KEEP: duration('1h', '365d')
      .prefault('7d')
      .describe('How long delivered events are kept, to answer for them.'),
    RECONCILE_EVERY: duration('0s', '1d')
      .prefault('5m')
      .describe(
        'How often what the API has confirmed is compared with its own request history; what is not there is sent again. 0s: not at all.',
      ),
    STANDBY_DELAY_MS: wholeNumber(0, 600_000)
      .prefault('0')
      .describe(
        'For the second of two bridges on one PBX: so long after the last event of a call it looks whether the other one has told it, and tells what it has not. 0: tells everything at once.',
      ),
    JOURNAL_KEEP: duration('0s', '90d')
      .prefault('7d')
      .describe(
        'How far back pbx-bridge explain can tell what was seen of a call and why it was told or not; 0s: not at all.',
      ),
  },
  build: (values) => ({
    stateDir: values.STATE_DIR,
    maxAgeMs: values.OUTBOX_MAX_AGE,
    keepMs: values.OUTBOX_KEEP,
    reconcileEveryMs: values.RECONCILE_EVERY,
    standbyDelayMs: values.STANDBY_DELAY_MS,
    journalKeepMs: values.JOURNAL_KEEP,
  }),
});
