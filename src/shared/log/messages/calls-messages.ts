import type { Message } from './program-messages.ts';

/** With what the status and the metrics say of calls that are not reported, or what the journal writes before the reason. */
type DecisionMessage = Message & ({ readonly notReported: string } | { readonly journal: string });

/**
 * What is decided about calls, live or from call records, a row each: its log line, and what the journal, `explain`,
 * `status`, `/status.json` and `/metrics` show of it (bridge/calls/decisions.ts).
 */
export const callDecisions = {
  'call.no-number': {
    level: 'info',
    text: 'call {call} is not reported: {why}',
    means:
      'The API requires a number, and this caller has none or withholds it. The call is counted; nothing is sent.',
    todo: 'To report such calls, set WITHHELD_NUMBER, or MISSING_NUMBER, to the number that should stand in.',
    notReported: 'no number, or withheld: see WITHHELD_NUMBER',
  },
  'call.ignored': {
    level: 'info',
    text: 'call {call} is not reported: {why}',
    means:
      'A rule of REPORT_RULES ignores this call. It is counted; nothing is sent, and lookups of it ask the API nothing.',
    todo: 'To report such calls, change that rule, or put a rule with report before it.',
    notReported: 'ignored by REPORT_RULES',
  },
  'call.reported-late': {
    level: 'info',
    text: 'call {call} is now reported: {why}',
    means: 'The missing number of a call arrived late.',
    journal: 'reported late: ',
  },
  'call.not-inbound': {
    level: 'info',
    text: 'call {call} is not reported: {why}',
    means:
      'After connecting, the bridge took a channel of a trunk for an inbound call. Asterisk then reported that it had placed the call itself.',
    notReported: 'made by the PBX itself',
  },
  'call.picked-up': {
    level: 'info',
    text: 'call {call} {why}; tracked from now on',
    means:
      'The call began while the bridge was not connected, or Asterisk events were lost. It is reported like any other call, unless a later line says otherwise.',
    journal: 'picked up: ',
  },
  'call.vanished': {
    level: 'info',
    text: 'call {call}: {why}; reported as completed now',
    means:
      'The call ended while the bridge was not connected, or Asterisk events were lost. Its end time is therefore the time of reconnection. An answer in the meantime was not seen.',
    journal: 'ended unobserved: ',
  },
} as const satisfies Record<`call.${string}`, DecisionMessage>;

/** Log messages about calls and call records. */
export const callsMessages = {
  'call.ringing': {
    level: 'info',
    text: 'call {call} from {from} is ringing; event stored, delivery follows',
    means: 'An inbound call is ringing. Its event is on disk.',
  },
  'call.answered': {
    level: 'info',
    text: 'call {call} from {from} answered {answerer}; event stored, delivery follows',
    means:
      'The caller was connected to a person, or the provider says that somebody has answered elsewhere. The event is on disk.',
  },
  'call.completed': {
    level: 'info',
    text: 'call {call} from {from} completed, {outcome}; event stored, delivery follows',
    means: 'The call has ended. Its event is on disk.',
  },
  'call.repeated': {
    level: 'info',
    text: '{status} of call {call} was reported before; not sent again',
    means:
      'Asterisk has used a Uniqueid again, as after its clock was set back, or the call was found again after the state was lost. The API takes each status of a call once.',
    todo: 'If it happens often, check the clock of the PBX.',
  },
  'call.uniqueid-repeated': {
    level: 'warn',
    text: 'call {call} has the Uniqueid of an earlier call; such calls are not reported',
    means:
      "The PBX's clock was set back, as at a restart on a machine without a clock of its own, or a second PBX reports under the same PBX_ID. The API knows calls by their Uniqueid, and takes each status once. Logged once; pbx_bridge_calls_repeated_total counts such calls.",
    todo: 'Check the clock of the PBX and that it is set before Asterisk starts (NTP), and that each PBX has its own PBX_ID or systemname.',
  },
  ...callDecisions,
  'call.unreadable': {
    level: 'warn',
    text: 'the saved state of call {call} cannot be read; if the call is still in progress, it is tracked as a new one',
    means: 'The state was saved by another version of the program, or the disk damaged it.',
  },
  'call.not-stored': {
    level: 'error',
    text: 'stopping with events that are not on disk after retrying for {waited} s; calls affected: {calls}',
    means:
      'The disk of STATE_DIR is full or failing. These events were only in memory and are lost. At the next start, calls still in progress are picked up, and with CDR_SOURCE finished ones are reported from the call records.',
    todo: 'See the earlier lines about the disk. Set CDR_SOURCE if it is not set.',
  },
  'cdr.from-now': {
    level: 'info',
    text: 'call records: reading {source} from now on; earlier calls are not reported',
    means:
      'This is the first start with this CDR_SOURCE. From the next interruption on, missed calls are reported from these records.',
  },
  'cdr.going-on': {
    level: 'info',
    text: 'call records: reading {source} from the saved position',
    means: 'Calls that began and ended while the bridge was not connected are found there and reported.',
  },
  'cdr.clock-was-ahead': {
    level: 'warn',
    text: 'call records: the clock was ahead, so calls of {source} counted as too old until {was}; set back: those since {since} are reported',
    means:
      'While the clock was ahead by more than OUTBOX_KEEP, the bridge saved a time in the future, before which no call is reported from records. Calls that were reported already may be sent once more, which is harmless.',
    todo: 'Verify that this machine and the PBX keep their clocks right (timedatectl).',
  },
  'cdr.call-reported': {
    level: 'info',
    text: 'call {call} from {from} at {began}, {outcome}: reported from its call record',
    means:
      'The call began and ended while the bridge was not connected. Its events are on disk, delivery follows.',
  },
  'cdr.all-withheld': {
    level: 'warn',
    text: 'call records: calls of a gap on {trunk} are not reported, since withheld numbers have come in on it and WITHHELD_NUMBER is not set',
    means:
      'A call record does not say whether the caller withholds the number. Once a trunk has passed on a withheld number, each number in its records counts as withheld. Logged once for each trunk.',
    todo: 'Set WITHHELD_NUMBER, such as 000: calls of a gap are then reported with it, without the number of their caller.',
  },
  'cdr.filled': {
    level: 'info',
    text: 'call records read; calls reported: {reported}, open ones ended by their record: {ended}, without a record: {unrecorded}, not reported: {notReported}; skipped: {known} already decided, {old} too old',
    means: 'The bridge has processed all calls of the time in which it was not connected.',
  },
  'callback.reported': {
    level: 'info',
    text: 'call back of {number} by {by}; reached: {reached}',
    means:
      'Somebody here has called a number that waits for a call back, and the service was told (CALL_BACKS). Calls to other numbers are not logged.',
  },
  'callback.unknown': {
    level: 'warn',
    text: 'the service does not know CALL_BACKS; it is asked again every hour',
    means: 'Call backs do not close themselves. Nothing else depends on it.',
    todo: 'Upgrade the service, or remove CALL_BACKS: no other API knows it.',
  },
  'cdr.backfill-begun': {
    level: 'info',
    text: 'backfill: reporting calls of {source} that began from {since} on, and before {until}',
    means:
      'An operator wants the calls of before the bridge (pbx-bridge backfill). They are reported a few at a time, while nothing else waits.',
  },
  'cdr.backfill-waits': {
    level: 'info',
    text: 'backfill: waiting: {why}',
    means:
      'Calls of the past are not reported until this is over; pbx-bridge backfill shows it. Live calls are not affected.',
  },
  'cdr.backfill-done': {
    level: 'info',
    text: 'backfill: done; of {calls} calls of the past, reported as answered: {answered}, as missed: {missed}, decided before: {known}, not reported: {unreported}',
    means: 'All calls that an operator wanted from before the bridge are on their way to the API, or there.',
  },
  'cdr.lost-position': {
    level: 'warn',
    text: 'call records: {source} no longer contains the records read last; reading it from the beginning',
    means:
      'The file was rotated and compressed, emptied, replaced or restored. Calls that were decided before are not reported again; calls that were not seen live and whose records are gone are not reported.',
    todo: 'Let logrotate keep the last file uncompressed (delaycompress), next to the new one.',
  },
  'cdr.unreadable': {
    announced: true,
    level: 'warn',
    text: 'call records: cannot read or process {source}: {error}; retrying',
    means:
      'Calls not seen live are not reported until this works; none is skipped. Asterisk creates the file with its first record.',
    todo: 'Run pbx-bridge check. Verify that CDR_SOURCE is correct, that this user may read it, and that Asterisk writes to it (asterisk -rx "cdr show status").',
  },
  'cdr.readable': {
    level: 'info',
    text: 'call records: {source} can be read again',
    means: 'Reading continues where it stopped.',
  },
  'cdr.no-uniqueid': {
    level: 'error',
    text: 'call records: {source} contains records without a uniqueid; ignored',
    means: 'Without a uniqueid, the bridge cannot know whether the call was already reported. Logged once.',
    todo: 'File: set loguniqueid = yes in section [csv] of cdr.conf, then run: asterisk -rx "module reload cdr_csv.so". Table: make Asterisk fill the column uniqueid.',
  },
  'cdr.cut-uniqueid': {
    level: 'error',
    text: 'call records: uniqueids of this PBX do not fit into {source}: they are cut off, or their records refused',
    means:
      'A long systemname of Asterisk makes them too long for the column. Calls that were not seen live are lost if the database refuses their records or has cut off more than the last digits; two calls of one second can be taken for one. Logged once.',
    todo: "As the database's administrator: ALTER TABLE cdr MODIFY uniqueid varchar(150) NOT NULL DEFAULT '', MODIFY linkedid varchar(150) NOT NULL DEFAULT ''; then restart the bridge.",
  },
  'cdr.bad-line': {
    level: 'warn',
    text: 'call records: {source} contains a line that is not a call record; ignored',
    means: 'Another program wrote to it, or the disk was full. Logged once.',
  },
} as const satisfies Record<string, Message>;
