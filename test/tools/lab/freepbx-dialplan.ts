import { didPattern, officeOfDid, prioritise, type Route } from './dialplan.ts';
import { freepbxFastAgiPort } from './freepbx-fastagi.ts';
import type { Version } from './install.ts';
import { mobilePattern } from './office-numbers.ts';
import { type Office, officeCount, offices } from './offices.ts';

/**
 * A dialplan that does with calls what one that FreePBX generates does, in contexts of the same names: written for this
 * lab after its behaviour, not copied. FreePBX 17 writes Gosub and PJSIP (`22`), FreePBX 16 Macro and chan_sip (`16`).
 * `{X}` stands for the dialplan's `${X}`.
 *
 * Each office O has the extensions O001 to O006, the ring groups O600 (phones), O601 (a phone and the mobile) and O602
 * (the same, the mobile presses 1), the queues O400 (one by one) and O401 (all), the conference O070, the parking
 * number O70, an IVR, a time condition, mailbox O000, and reception's own number 493023125 0O0.
 *
 * Groups and follow-me get their dial string from dialparties.agi on FreePBX's own FastAGI server, as is FreePBX's default
 * (LAUNCH_AGI_AS_FASTAGI). FreePBX writes no port: FastAGI's standard port is 4573.
 */
export function freepbxDialplan(version: Version, fastAgi: number, routes: readonly Route[]): string {
  const { tech, call, done, runs, declined, accepted, phone, trunkLeg } = dialects[version];
  /** `exten => pattern` with its priorities. */
  const exten = (pattern: string, ...lines: readonly string[]) =>
    `exten => ${pattern},1,NoOp()\n${lines.map(prioritise).join('\n')}\n same => n,Hangup()\n`;
  const macro = (name: string, ...lines: readonly string[]) =>
    `[macro-${name}]\nexten => s,1,NoOp()\n${lines.map(prioritise).join('\n')}\n same => n,${done}\n`;
  /** Whatever AGISTATUS says: without the script's answer nobody is dialled. */
  const dialparties = [
    `AGI(agi://127.0.0.1${fastAgi === freepbxFastAgiPort ? '' : `:${fastAgi}`}/dialparties.agi)`,
    'GotoIf($["{MACRODIALGOTO_PRI}" != ""]?{MACRODIALGOTO_PRI})',
    'NoOp(Returned from dialparties with no extensions to call and DIALSTATUS: {DIALSTATUS})',
    done,
  ];
  const office = `_[1-${officeCount}]`;
  const hangup = `exten => h,1,${call('hangupcall', '')}\n`;
  const toExtension = (nth: number | string) => `Goto(from-did-direct,{O}00${nth},1)`;

  return `
[general]
[globals]
DIAL_OPTIONS=HhTtr
TRUNK_OPTIONS=T

; --- from the trunk -------------------------------------------------------------------------------------------------
[from-trunk]
include => from-pstn
[from-trunk-${tech.toLowerCase()}-trunk]
exten => _.,1,Set(GROUP()=OUT_1)
 same => n,Goto(from-trunk,\${EXTEN},1)
; callers whom no trunk is known for
[from-sip-external]
exten => _.,1,Set(DID=\${EXTEN})
 same => n,Goto(from-trunk,\${DID},1)
[from-pstn]
include => ext-did
[ext-did]
${routes.map(({ index, lines }) => inboundRoute(didPattern(index), lines)).join('')}
${inboundRoute(`_4930231250[1-${officeCount}]0`, ['Set(O={EXTEN:-2:1})', toExtension(2)])}

; --- what inbound routes lead to -------------------------------------------------------------------------------------
[from-did-direct]
include => ext-findmefollow
include => ext-local

; the phone first, then the mobile, as the extension's owner has set it up
[ext-findmefollow]
${exten(
  `${office}004`,
  call('user-callerid', ''),
  'Set(O={EXTEN:0:1})',
  'Set(_FMPREFIX=)',
  'Set(CALLERID(name)=Follow:{CALLERID(name)})',
  call('dial-one', '1,{DIAL_OPTIONS},{EXTEN}'),
  `GotoIf($["{DIALSTATUS}" = "ANSWER"]?end)`,
  call('dial', `6,{DIAL_OPTIONS},Local/0${mobilePattern}@from-internal/n`),
  call('vm', '{O}000,NOANSWER'),
  '(end)NoOp()',
)}${exten(
  `${office}003`,
  call('user-callerid', ''),
  'Set(O={EXTEN:0:1})',
  call(
    'dial-confirm',
    `7,{DIAL_OPTIONS},Local/FMPR-{EXTEN}@from-internal&Local/RG-{O}602*-0${mobilePattern}#@from-internal`,
  ),
  call('vm', '{O}000,NOANSWER'),
)}${hangup}
; the phone of follow-me; there is no call record of this half either
[findmefollow-ringallv2]
${exten('_FMPR-X.', 'Set(CDR_PROP(disable)=true)', call('dial-one', '6,{DIAL_OPTIONS},{EXTEN:5}'))}
[ext-local]
${exten(`${office}00X`, 'Set(__RINGTIMER=4)', call('exten-vm', '{EXTEN:0:1}000,{EXTEN}'))}
${exten(`_vmu[1-${officeCount}]000`, call('vm', '{EXTEN:3},NOANSWER'))}${hangup}
[ext-group]
${exten(`${office}600`, ...ringGroup(call, '{O}001-{O}002', `${phone('{O}001')}&${phone('{O}002')}`))}
${exten(`${office}601`, ...ringGroup(call, '', `${phone('{O}001')}&Local/0${mobilePattern}@from-internal/n`))}
${exten(
  `${office}602`,
  'Set(O={EXTEN:0:1})',
  call('user-callerid', ''),
  call(
    'dial-confirm',
    `6,{DIAL_OPTIONS}Q(NO_ANSWER),Local/LC-{O}001@from-internal&Local/RG-{O}602*-0${mobilePattern}#@from-internal`,
  ),
)}${hangup}
; a mobile of a group: it is asked; there is no call record of this half
[grps]
${exten('_RG-X602*.', 'Set(CDR_PROP(disable)=true)', `Dial(Local/{EXTEN:9:-1}@from-internal/n,6,{DIAL_OPTIONS}Q(NO_ANSWER)${runs('confirm')})`)}
; a phone of such a group: it is not
[ext-local-confirm]
${exten('_LC-X.', `Dial(${phone('{EXTEN:3}')},5,{DIAL_OPTIONS}${runs('auto-confirm')}b(func-apply-sipheaders^s^1))`)}
[ext-queues]
${exten(
  `${office}40X`,
  call('user-callerid', ''),
  'Answer()',
  'Set(__FROMQUEUEEXTEN={CALLERID(number)})',
  'Set(__NODEST={EXTEN})',
  'Set(CALLERID(name)=Support:{CALLERID(name)})',
  'Set(QUEUEJOINTIME={EPOCH})',
  'Queue({EXTEN},t,,,8)',
  'Set(__NODEST=)',
  'Goto(ext-local,vmu{EXTEN:0:1}000,1)',
)}${hangup}
[from-queue]
exten => _.,1,Set(QAGENT=\${EXTEN})
 same => n,Set(__FROMQ=true)
 same => n,Goto(from-queue-exten-internal,\${QAGENT},1)
[from-queue-exten-internal]
${exten(`${office}00X`, call('dial-one', '4,{DIAL_OPTIONS},{EXTEN}'))}
include => from-internal
[ivr-1]
${exten(
  's',
  'Answer()',
  'Wait(0.2)',
  'Background(digits/1)',
  'WaitExten(20)',
  'Goto(t,1)',
)}exten => 1,1,Goto(from-did-direct,\${O}001,1)
exten => 2,1,Goto(ext-queues,\${O}400,1)
exten => i,1,Playback(digits/2)
 same => n,Goto(s,1)
exten => t,1,Playback(digits/2)
 same => n,Hangup()
${hangup}
[timeconditions]
exten => open,1,GotoIfTime(*,*,*,*?ext-group,\${O}600,1)
exten => closed,1,GotoIf($["\${TCRETURN}"!="RETURN"]?app-announcement-1,s,1)
 same => n,GotoIf($["\${TCRETURN}"!="RETURN"]?ext-group,\${O}600,1)
[app-announcement-1]
${exten('s', 'Answer()', 'Wait(0.2)', 'Playback(digits/1)', 'Goto(app-blackhole,hangup,1)')}
[app-blackhole]
exten => hangup,1,NoOp(Blackhole Dest: Hangup)
 same => n,Hangup()
[ext-meetme]
${exten(`${office}070`, call('user-callerid', ''), 'Answer()', 'ConfBridge({EXTEN})')}${hangup}

; --- from the phones -------------------------------------------------------------------------------------------------
[from-internal]
include => parked-calls
include => app-pickup
include => ext-queues
include => ext-meetme
include => ext-findmefollow
include => ext-local
include => ext-local-confirm
include => findmefollow-ringallv2
include => grps
include => outbound-allroutes
; a phone that sends its calls to a mobile (302), without the digit for an outside line
exten => _+X.,1,Goto(outbound-allroutes,0\${EXTEN},1)
; the company's own number, from inside
exten => _4930231250X0,1,Goto(from-trunk,\${EXTEN},1)
[from-internal-xfer]
include => from-internal
[app-pickup]
exten => _**X.,1,Pickup(\${EXTEN:2}&\${EXTEN:2}@PICKUPMARK)
 same => n,Hangup()
[outbound-allroutes]
${exten(
  '_0.',
  call('user-callerid', 'LIMIT,EXTERNAL'),
  'Set(MOHCLASS=default)',
  call('dialout-trunk', '1,{EXTEN:1}'),
)}

; a caller comes back from where he was parked
[parked-calls]
[parkedcallstimeout]
${exten('_[A-Z].', 'Set(CALLERID(name)=Parked:{CALLERID(name)})', 'Goto(park-return-routing,s,1)')}
[park-return-routing]
${exten('s', 'Dial({PARKER},4,{DIAL_OPTIONS})')}

; --- the parts -------------------------------------------------------------------------------------------------------
${macro('hangupcall')}
${macro(
  'user-callerid',
  'Set(TOUCH_MONITOR={UNIQUEID})',
  // Only an extension's own calls: O001 to O006.
  'Set(AMPUSER={IF($[{LEN({CALLERID(num)})} = 4]?{CALLERID(num)})})',
  `ExecIf($["{AMPUSER}" != ""]?Set(CALLERID(all)="Phone {AMPUSER}" <{AMPUSER}>))`,
  'Set(CHANNEL(language)=en)',
  'Set(CALLERID(number)={CALLERID(number):0:40})',
  'Set(CALLERID(name)={CALLERID(name):0:40})',
  'Set(CDR(cnum)={CALLERID(num)})',
  'Set(CDR(cnam)={CALLERID(name)})',
)}
${macro(
  'exten-vm',
  'Set(VMBOX={ARG1})',
  'Set(__PICKUPMARK={ARG2})',
  call('user-callerid', ''),
  call('dial-one', '{RINGTIMER},{DIAL_OPTIONS},{PICKUPMARK}'),
  `GotoIf($["{DIALSTATUS}" = "ANSWER"]?end)`,
  call('vm', '{VMBOX},{DIALSTATUS}'),
  '(end)NoOp()',
)}
${macro(
  'dial-one',
  'Set(DSTRING={CF_{ARG3}})',
  `ExecIf($["{DSTRING}" = ""]?Set(DSTRING=${phone('{ARG3}')}):Set(DSTRING=Local/{DSTRING}@from-internal/n))`,
  'Set(CONNECTEDLINE(num,i)={ARG3})',
  // In a group or queue, the one who answers takes the call off the other mailboxes.
  `Set(D_OPTIONS={ARG2}{IF($["{NODEST}" != ""]?${runs('auto-blkvm')})})`,
  'Dial({DSTRING},{ARG1},{D_OPTIONS}b(func-apply-sipheaders^s^1))',
)}
${macro('dial', ...dialparties, '(normdial)Dial({ds}b(func-apply-sipheaders^s^1))')}
${macro(
  'dial-confirm',
  'Set(__UNIQCHAN={CHANNEL})',
  'Set(DB(RG/{UNIQCHAN})=RINGING)',
  ...dialparties,
  '(normdial)Dial({ds})',
  'NoOp({DB_DELETE(RG/{UNIQCHAN})})',
)}
${macro(
  'confirm',
  declined,
  'Read(INPUT,digits/1,1,,1,3)',
  'GotoIf($["{INPUT}" = "1"]?yes)',
  done,
  `(yes)GotoIf($["{DB(RG/{UNIQCHAN})}" = "RINGING"]?taken)`,
  done,
  '(taken)NoOp({DB_DELETE(RG/{UNIQCHAN})})',
  accepted,
)}
${macro('auto-blkvm', accepted, 'Set(MASTER_CHANNEL(CONNECTEDLINE(num))={DIALEDPEERNUMBER})')}
${macro('auto-confirm', 'NoOp({DB_DELETE(RG/{UNIQCHAN})})', accepted)}
${macro('vm', 'Set(MEXTEN={ARG1})', 'Answer()', 'Set(CHANNEL(language)=en)', 'VoiceMail({ARG1},s)', 'GotoIf($["{VMSTATUS}" = "USEREXIT"]?default,o,1)')}
${macro(
  'dialout-trunk',
  'Set(GROUP()=OUT_{ARG1})',
  call('outbound-callerid', ''),
  `Dial(${trunkLeg},300,{TRUNK_OPTIONS}b(func-apply-sipheaders^s^1,({ARG1})))`,
)}
${macro('outbound-callerid', 'Set(CALLERID(all)=4930231250)', 'Set(CDR(outbound_cnum)={CALLERID(num)})')}
; who presses 0 at the mailbox is sent to reception, by its own number
[default]
${exten('o', `Dial(Local/4930231250{O}0@from-pstn,6)`)}
[func-apply-sipheaders]
exten => s,1,Return()
`;
}

type Call = (name: string, args: string) => string;

const dialects = {
  22: {
    tech: 'PJSIP',
    call: ((name, args) => `Gosub(macro-${name},s,1(${args}))`) as Call,
    done: 'Return()',
    /** The option of Dial that has the answering end run a macro first. */
    runs: (name: string) => `U(macro-${name})`,
    phone: (extension: string) => `{PJSIP_DIAL_CONTACTS(${extension})}`,
    declined: 'Set(GOSUB_RESULT=CONTINUE)',
    accepted: 'Set(GOSUB_RESULT=)',
    trunkLeg: 'PJSIP/{ARG2}@siproute-{ARG2:-2:1}',
  },
  16: {
    tech: 'SIP',
    call: ((name, args) => `Macro(${name},${args})`) as Call,
    done: 'MacroExit()',
    runs: (name: string) => `M(${name})`,
    phone: (extension: string) => `SIP/${extension}`,
    declined: 'Set(MACRO_RESULT=CONTINUE)',
    accepted: 'Set(MACRO_RESULT=)',
    trunkLeg: 'SIP/siproute-{ARG2:-2:1}/{ARG2}',
  },
} as const;

/** What FreePBX does with every call from outside before its destination. */
function inboundRoute(pattern: string, lines: readonly string[]): string {
  const preamble = [
    'Set(__DIRECTION=INBOUND)',
    'Set(__FROM_DID={EXTEN})',
    'Set(CDR(did)={FROM_DID})',
    'ExecIf($["{CALLERID(name)}" = ""]?Set(CALLERID(name)={CALLERID(num)}))',
    'Set(CHANNEL(musicclass)=default)',
    'Set(__CALLINGNAMEPRES_SV={CALLERID(name-pres)})',
    'Set(__CALLINGNUMPRES_SV={CALLERID(num-pres)})',
    'Set(CALLERID(name-pres)=allowed_not_screened)',
    'Set(CALLERID(num-pres)=allowed_not_screened)',
  ];
  const all = [...preamble, ...lines].map(prioritise).join('\n');
  return `exten => ${pattern},1,Set(__O=${officeOfDid})\n${all}\n same => n,Hangup()\n`;
}

function ringGroup(call: Call, pickup: string, members: string): string[] {
  return [
    'Set(O={EXTEN:0:1})',
    call('user-callerid', ''),
    'Set(_RGPREFIX=Sales)',
    'Set(CALLERID(name)=Sales:{CALLERID(name)})',
    'Set(__NODEST={EXTEN})',
    `Set(__PICKUPMARK=${pickup})`,
    call('dial', `4,{DIAL_OPTIONS},${members}`),
    'Set(__NODEST=)',
    'Set(__PICKUPMARK=)',
  ];
}

/** FreePBX's queues and parking lots. */
export function freepbxFiles(tech: 'PJSIP' | 'SIP'): Record<string, string> {
  const members = (office: Office, hint: string) =>
    [1, 2]
      .map((nth) => office.extension(nth))
      .map((it) => `member => Local/${it}@from-queue/n,0,Phone ${it},${hint}${it}\n`)
      .join('');
  const queue = (office: Office, number: number, strategy: string, timeout: number) => `
[${office.number}${number}]
strategy = ${strategy}
timeout = ${timeout}
retry = 1
ringinuse = no
joinempty = yes
leavewhenempty = no
${members(office, `${tech}/`)}`;
  return {
    'queues.conf': `[general]\n${offices.map((it) => queue(it, 400, 'linear', 1) + queue(it, 401, 'ringall', 6)).join('')}`,
    'res_parking.conf': `[general]\n${offices
      .map(
        ({ number }) => `
[lot-${number}]
context = parked-calls
parkext = ${number}70
parkpos = ${number}71-${number}78
findslot = first
parkingtime = 6
comebacktoorigin = no
comebackcontext = parkedcallstimeout
`,
      )
      .join('')}`,
  };
}
