import { mobileDialString } from './office-numbers.ts';
import { officeCount, offices } from './offices.ts';
import { LabLimit, type PortBlock } from './ports.ts';

/** How many rows a world can have: each has a telephone number of its own in each office. */
export const mostRows = 1_000;

/**
 * The number that the world dials to play a row in an office. All of the lab's numbers are fictional: those that
 * the Bundesnetzagentur keeps for film and television (Berlin 030 23125, Hamburg 040 66969, mobile 0171 39200).
 */
export function didOf(rowIndex: number, officeNumber: number): string {
  return `493023125${officeNumber}${extensionOf(rowIndex)}`;
}

/** The pattern of that number for all offices. */
export function didPattern(rowIndex: number): string {
  return `_493023125[1-${officeCount}]${extensionOf(rowIndex)}`;
}

/** The office's digit in a row's number, in a dialplan. */
export const officeOfDid = '${EXTEN:9:1}';

/** Two digits, from the 101st row on three: recordings have the numbers of the first hundred. */
function extensionOf(rowIndex: number): string {
  if (rowIndex >= mostRows)
    throw new LabLimit(
      `the lab has telephone numbers for ${mostRows} rows: there is none for row ${rowIndex + 1}`,
    );
  return String(rowIndex).padStart(2, '0');
}

/** What the PBX does with the calls of a row. */
export type Route = {
  readonly index: number;
  /** Lines of the dialplan, from the first priority, with `{X}` for its `${X}`: `{P}` and the phone's last digit make an extension, `{O}` is the office. */
  readonly lines: readonly string[];
};

/** The lab's extensions.conf: the rows' numbers and what every small PBX has. */
export function dialplanText(ports: PortBlock, routes: readonly Route[]): string {
  return `
[general]
[globals]
${offices.map((office) => `MOBILE_${office.number}=${mobileDialString(ports, office)}`).join('\n')}
[from-trunk]
${routes
  .map(
    ({ index, lines }) => `exten => ${didPattern(index)},1,Set(O=${officeOfDid})
 same => n,Set(P=\${O}00)
${lines.map(prioritise).join('\n')}
 same => n,Hangup()
`,
  )
  .join('')}
[from-internal]
include => parked-calls
; another phone
exten => _[1-${officeCount}]00X,1,Dial(PJSIP/\${EXTEN},9)
 same => n,Hangup()
; the office's conference, queue, mailbox
exten => _[1-${officeCount}]070,1,ConfBridge(office-\${EXTEN:0:1})
exten => _[1-${officeCount}]071,1,ConfBridge(leader-\${EXTEN:0:1},,leader_user)
exten => _[1-${officeCount}]080,1,Queue(phones-ringall-\${EXTEN:0:1},,,,4)
exten => _[1-${officeCount}]081,1,Queue(phones-ringall-\${EXTEN:0:1})
exten => _[1-${officeCount}]090,1,VoiceMail(\${EXTEN:0:1}000,s)
; connects the phone with the caller who waits
exten => _[1-${officeCount}]072,1,Bridge(\${WAITING_\${EXTEN:0:1}})
exten => _[1-${officeCount}]073,1,Answer()
 same => n,Bridge(\${WAITING_\${EXTEN:0:1}})
; an agent waits for callers
exten => _[1-${officeCount}]074,1,Answer()
 same => n,AgentLogin(\${EXTEN:0:1}00,s)
; directed pickup
exten => _**[1-${officeCount}]00X,1,PickupChan(PJSIP/\${EXTEN:2},p)
; a phone calls its own company
exten => _493023125XX.,1,Goto(from-trunk,\${EXTEN},1)
; the outside world, over the trunk
exten => _+4917139200XX,1,Dial(\${MOBILE_\${EXTEN:-2:1}},20)
 same => n,Hangup()

; As Wazo names its contexts.
[ctx-mytenant-internal-6e3a0b52-7f0d-4b0a-9b7a-0d7f5f1f2c11]
include => from-internal

[from-queue]
exten => _X00X,1,Dial(PJSIP/\${EXTEN},20)

; an announcement and a phone whose dialplan writes no call record
[unrecorded]
exten => _[1-${officeCount}]060,1,Set(CDR_PROP(disable)=1)
 same => n,Answer()
 same => n,Wait(9)
exten => _[1-${officeCount}]00X,1,Set(CDR_PROP(disable)=1)
 same => n,Dial(PJSIP/\${EXTEN},20)

; a caller who waits in a queue presses 1 to leave a message instead
[queue-exit]
exten => 1,1,VoiceMail(\${P}0,s)
 same => n,Hangup()

; a Local channel that leads to another Local channel
[two-deep]
exten => _X00X,1,Dial(Local/\${EXTEN}@from-internal,20)
[two-deep-kept]
exten => _X00X,1,Dial(Local/\${EXTEN}@from-internal/n,20)

; asked on the mobile, before it is joined with the caller: 1 takes the call
[press-one]
exten => s,1,Read(KEY,,1,,1,2)
 same => n,GotoIf($["\${KEY}" = "1"]?taken)
 same => n,Set(GOSUB_RESULT=CONTINUE)
 same => n(taken),Return()

[parked-calls]
`;
}

/** `(label)App(...)` or `App(...)`, with `{X}` for the dialplan's `${X}`. */
export function prioritise(line: string): string {
  const [, label = '', application = line] = /^(\([a-z-]+\))(.*)$/.exec(line) ?? [];
  return ` same => n${label},${application.replaceAll('{', '${')}`;
}
