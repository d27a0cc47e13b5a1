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

  'program.reloaded': {
    level: 'info',
    text: 'settings read again; in force now: {live}',
    means:
      'These variables have changed. A new AMI_SECRET counts from the next login, everything else at once.',
  },
  'program.reload-needs-restart': {
    level: 'warn',
    text: 'settings read again; not in force before a restart: {restart}',
    means: 'These variables have changed too, but a running program cannot take them.',
    todo: 'systemctl restart pbx-bridge. Nothing is lost by it: open calls and undelivered events are on disk.',
  },
  'program.reload-unchanged': {
    level: 'info',
    text: 'settings read again; nothing has changed',
    means:
      'A reload was asked for (SIGHUP), and the settings are as before. Credentials of systemd are read at its start only.',
  },
  'program.reload-refused': {
    level: 'error',
    text: 'settings read again, and not taken: {problems}; going on with those from before',
    means: 'A variable has a value that it does not take. Nothing was changed.',
    todo: 'Correct what is named, and reload again.',
  },
  'systemd.standstill': {
    level: 'error',
    text: 'no sign of life from {part} for 30 s: the watchdog is not fed any more, so that systemd starts the program again',
    means:
      'A part of the program hangs, or what it needs: the disk, the kernel. Open calls and undelivered events are on disk.',
    todo: 'If it comes back after the restart, look at the disk, and report it.',
  },
  'systemd.not-told': {
    level: 'error',
    text: 'systemd could not be told how the program is: {error}',
    means:
      'systemd learns neither that the program is ready nor that it is alive, and will start it again after a while.',
    todo: 'Report it. Until then, Type=exec and WatchdogSec=0 in a drop-in (systemctl edit) do without.',
  },

  'log.lines-dropped': {
    // As high as any line that may be missing.
    level: 'error',
    text: '{count} lines are missing here, the first of {since}: nothing took what this log says; no call has waited for it',
    means:
      'What reads standard output (journald, Docker, a pipe) stood still, or the disk that it is written to was full. Some 4 MB of lines were kept, and the newest 50; those between them were dropped.',
    todo: 'Look at what was wrong with the log at that time: journald, the disk. What became of the calls, pbx-bridge explain knows all the same.',
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

  // Calls that nobody heard
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

  // The PBX
  'ami.connected': {
    level: 'info',
    text: 'connected to Asterisk {version} at {address}; {channels} channels there now',
    means: 'The link to the PBX is up, the login worked and the channels in progress were read.',
  },
  'ami.unreachable': {
    level: 'error',
    text: 'no connection to Asterisk at {address}: {reason}; trying again for as long as it takes',
    means: 'Nothing accepts connections there. Calls that begin and end meanwhile are not seen.',
    todo: 'Is Asterisk running? Do AMI_HOST and AMI_PORT name it? Is the manager switched on (manager.conf: enabled=yes, bindaddr)? Is a firewall between?',
  },
  'ami.tls-refused': {
    level: 'error',
    text: 'no safe connection to Asterisk at {address}: {reason}; trying again for as long as it takes',
    means: 'The certificate that was shown there did not pass, so neither user nor secret were sent.',
    todo: 'Compare the certificate of the manager (manager.conf: tlscertfile) with the name in AMI_HOST and the authority in AMI_TLS_CA; a failed handshake is mostly a port without TLS.',
  },
  'ami.not-asterisk': {
    level: 'error',
    text: 'no Asterisk manager at {address}: {reason}; trying again for as long as it takes',
    means: 'Something accepted the connection but did not greet as an Asterisk does.',
    todo: 'Does AMI_PORT name the manager (5038, or 5039 with TLS) rather than SIP or HTTP? A port with TLS needs AMI_TLS.',
  },
  'ami.login-refused': {
    level: 'error',
    text: 'not let in by Asterisk at {address}: {reason}; trying again for as long as it takes',
    means: 'User, secret or our address do not fit. Asterisk gives the same answer to all three.',
    todo: 'Compare AMI_USERNAME and AMI_SECRET with manager.conf, and its permit and deny lines with the address of this machine.',
  },
  'ami.no-reporting-class': {
    level: 'error',
    text: 'Asterisk at {address} does not show its channels: {reason}; trying again for as long as it takes',
    means:
      'Without write class "reporting" the manager user may not run CoreShowChannels, which every start begins with.',
    todo: 'Add write = reporting to the user in manager.conf, then: manager reload.',
  },
  'ami.no-call-class': {
    level: 'error',
    text: 'Asterisk at {address} tells nothing of its calls: {reason}; trying again for as long as it takes',
    means:
      'Channels came and went, but no event told of them: read class "call" is missing, or an eventfilter hides them.',
    todo: 'Add read = call to the user in manager.conf, look at its eventfilter lines, then: manager reload.',
  },
  'ami.silent': {
    level: 'warn',
    text: 'Asterisk at {address} has gone silent: {reason}; connecting again',
    means:
      'The connection stands, but nothing is answered: the network dropped it without a word, Asterisk hangs, or this machine is far behind with reading what comes. Each new attempt waits twice as long for its answers, up to a minute.',
  },
  'ami.lost': {
    level: 'warn',
    text: 'the connection to Asterisk at {address} has ended: {reason}; connecting again',
    means:
      'Asterisk stopped or restarted, or the network failed. Calls in progress are read again on return.',
  },
  'ami.still-down': {
    level: 'error',
    text: 'still no link to Asterisk at {address}, for {minutes} min now and after {attempts} attempts: {reason}',
    means: 'The same trouble as was logged before goes on.',
    todo: 'See the line that first told of it.',
  },
  'ami.frame-lost': {
    level: 'warn',
    text: 'an AMI message ({event}) was too long and is lost; if it was about a call, the channels are read again soon',
    means:
      'Asterisk sent a line of more than 16 KB or a message of more than 64 KB. Told once; the rest is counted.',
  },
  'ami.bad-event': {
    level: 'warn',
    text: 'an AMI event ({event}) lacks what it is about and is left out',
    means:
      'An event without a Uniqueid or the like cannot be told to belong to a call. Told once; the rest is counted.',
  },
  'ami.input-failed': {
    level: 'error',
    text: 'an AMI event ({input}) could not be worked on: {error}; going on with the next',
    means: 'A fault in this program. The call that the event belongs to may be told wrongly.',
    todo: 'Report it, with a recording of such a call if you can.',
  },

  // Delivery
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
  'standby.told-by-other': {
    level: 'debug',
    text: '{count} events were told by the other bridge already, such as of call {call}; nothing to send',
    means: 'This bridge stands by (STANDBY_DELAY_MS), and the other one on this PBX works.',
  },
  'reconcile.failed': {
    level: 'error',
    text: 'what was delivered could not be compared with the request history of the API: {error}; tried again at the next comparison',
    means: 'A fault of this program, or of its disk. Deliveries go on.',
    todo: 'Look at the health of the disk of STATE_DIR; otherwise report it.',
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

  // The outbox
  'outbox.full': {
    level: 'error',
    text: 'the disk of {directory} is full: nothing new is taken, deliveries go on; tried again all the time: {error}',
    means:
      'New events wait in memory, and are lost if the bridge is stopped now. What is on disk is delivered, in the room that the ballast file kept.',
    todo: 'Make room on the disk. The intake goes on by itself within a second or two.',
  },
  'outbox.failing': {
    level: 'error',
    text: 'the disk of {directory} fails: nothing is taken or marked as delivered; tried again every 2 s: {error}',
    means: 'New events wait in memory, and are lost if the bridge is stopped now.',
    todo: 'Look at the health, the mount and the permissions of the disk of STATE_DIR.',
  },
  'outbox.working': {
    level: 'info',
    text: 'the disk of {directory} works again: everything that waited for it is stored',
    means: 'The disk takes everything again, and nothing was lost.',
  },
  'outbox.no-ballast': {
    level: 'warn',
    text: 'there is no room in {directory} for the ballast of {bytes} bytes: if the disk becomes full, deliveries may not be marked either',
    means:
      'The file that keeps some room for bad times could not be made. Calls are taken and delivered all the same. On a full disk an event may be sent twice.',
    todo: 'Make room on the disk of STATE_DIR; the ballast is made within seconds then.',
  },
  'outbox.ballast-stuck': {
    level: 'error',
    text: 'the ballast in {directory} cannot be deleted, so it gives no room to deliveries: {error}',
    means:
      'The disk is full, and the file that was to give some room for marking deliveries could not be deleted.',
    todo: 'Make room on the disk of STATE_DIR, and look at the permissions of outbox.ballast there.',
  },
  'outbox.repaired': {
    level: 'error',
    text: 'the outbox was damaged ({error}); {saved} events were saved, {waiting} of them still to be delivered, {lost} are lost; the damaged file is now {aside}',
    means:
      'A disk or memory fault, or another program, damaged the database. The bridge goes on with all that could still be read.',
    todo: 'Look at the health of the disk. The file that was set aside may be deleted.',
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

  // Priority lookups
  'agi.listening': {
    level: 'info',
    text: 'priority lookups: listening for the dialplan on {host} port {port}',
    means: 'AGI(agi://{host}:{port}/priority) in the dialplan is answered.',
  },
  'agi.not-listening': {
    level: 'error',
    text: 'priority lookups: cannot listen on {host} port {port}: {error}; tried again every 5 s, calls are told meanwhile',
    means:
      'Another program has the port, or the address is not of this machine. AGI() fails at once in the dialplan.',
    todo: 'Set AGI_LISTEN to a free port, or to off if the dialplan asks for no priorities.',
  },
  'agi.lookup-failed': {
    level: 'warn',
    text: 'no priority for {number}: {reason}; the call goes on with what was known, or with the default ({more} more since this was last said)',
    means:
      'The API did not answer a priority lookup as it should. No call waits for it. Said once a minute at most.',
    todo: 'If the answer has no such field, set PRIORITY_FIELD and PRIORITY_PARAM. Else look at the API, as for delivery.',
  },
  'agi.lookup-late': {
    level: 'warn',
    text: 'no priority for {number} within {waited} ms; the call goes on with what was known, or with the default ({more} more since this was last said)',
    means:
      'The API is slow. Its answer, when it comes, is kept for the next call from there. Said once a minute at most.',
    todo: 'Callers can be made to wait longer with AGI_DEADLINE_MS.',
  },
  'agi.unknown-script': {
    level: 'warn',
    text: 'the dialplan asks for agi://.../{script}, which there is not; answered ERROR ({more} more since this was last said)',
    means: 'The only script is /priority. Said once a minute at most.',
    todo: 'Correct the address in the dialplan: AGI(agi://HOST:PORT/priority).',
  },
  'agi.command-refused': {
    level: 'warn',
    text: 'Asterisk refused a command of the priority lookup: {reply} ({more} more since this was last said)',
    means: 'A variable may not have been set on the channel. Said once a minute at most.',
    todo: 'Report it, with the version of Asterisk.',
  },
  'agi.cut-off': {
    level: 'warn',
    text: 'cut off a priority lookup at the deadline of {deadline} ms (phase: {phase}); the dialplan goes on ({more} more since this was last said)',
    means:
      'Asterisk, or whoever connected, did not say or take what it should in time. Said once a minute at most.',
    todo: 'In the phase request, something else than Asterisk connects to AGI_LISTEN.',
  },
  'agi.stranger': {
    level: 'warn',
    text: 'priority lookups: {address} may not ask and was cut off ({more} more since this was last said)',
    means: 'A connection from an address that AGI_ALLOW does not name. Said once a minute at most.',
    todo: 'If it is the PBX, add it to AGI_ALLOW; if not, let a firewall keep it away.',
  },
  'agi.too-many': {
    level: 'warn',
    text: 'priority lookups: more than {most} connections at once; the newest are cut off ({more} more since this was last said)',
    means: 'No PBX sets up so many calls at once. Something floods the port. Said once a minute at most.',
    todo: 'Let a firewall keep all but the PBX away from AGI_LISTEN.',
  },
  'agi.not-accepted': {
    level: 'error',
    text: 'priority lookups: a connection could not be taken: {error} ({more} more since this was last said)',
    means: 'The system has no file descriptors or memory left for a connection. Said once a minute at most.',
    todo: 'Raise LimitNOFILE in the unit, or find what uses them up.',
  },

  // Status
  'status.listening': {
    level: 'info',
    text: 'status: http://{host}:{port}/status.json, with /metrics, /healthz and /readyz beside it',
    means: 'pbx-bridge status and Prometheus find the bridge there.',
  },
  'status.not-listening': {
    level: 'warn',
    text: 'status: cannot listen on {host} port {port}: {error}; tried again every 5 s, calls are told meanwhile',
    means: 'Another program has the port, often another instance, or the address is not of this machine.',
    todo: 'Set STATUS_LISTEN to a free port for each instance, or to off.',
  },

  // The API service
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

export type MessageCode = keyof typeof messages;
