import { readFileSync } from 'node:fs';
import { mobileNumber } from './office-numbers.ts';
import { type Office, offices } from './offices.ts';
import type { PortBlock } from './ports.ts';
import { chanSipConf, pjsipConf } from './sip-config.ts';

/** Where an Asterisk keeps its things, as seen from inside its root folder. */
export type Folders = {
  readonly etc: string;
  readonly state: string;
  readonly log: string;
  readonly run: string;
};

type ConfigOptions = {
  readonly ports: PortBlock;
  readonly folders: Folders;
  readonly modules: string;
  /** Asterisk 21 left chan_sip out. */
  readonly chanSip: boolean;
  readonly dialplan: string;
  /** Modules to load that a lab does without. */
  readonly wanted: readonly string[];
};

/** The sample that people copy, as it is: what they are shown is what is tried here. */
const bridgeUser = readFileSync(
  new URL('../../../config/asterisk/manager_custom.conf', import.meta.url),
  'utf8',
);

/** The two users of the manager interface. The bridge's has the least rights that show it every call. */
export const managerUsers = {
  bridge: { name: 'pbx-bridge', secret: /^secret = (\S+)$/m.exec(bridgeUser)?.[1] ?? '' },
  driver: { name: 'driver', secret: 'lab-driver' },
  /** Sees what the bridge would see without its event filter. */
  recorder: { name: 'recorder', secret: 'lab-recorder' },
} as const;

/** Every configuration file of the lab's PBX: name to text. */
export function configFiles(options: ConfigOptions): Record<string, string> {
  const { ports, folders, wanted } = options;
  return {
    'asterisk.conf': `
[directories]
astetcdir => ${folders.etc}
astmoddir => ${options.modules}
astvarlibdir => ${folders.state}
astdbdir => ${folders.state}
astkeydir => ${folders.state}
astcachedir => ${folders.state}/cache
astdatadir => /usr/share/asterisk
astagidir => /usr/share/asterisk/agi-bin
astspooldir => ${folders.state}/spool
astrundir => ${folders.run}
astlogdir => ${folders.log}
[options]
verbose = 3
hideconnect = yes
`,
    'modules.conf': `
[modules]
autoload = yes
${unused
  .filter((name) => !wanted.includes(name))
  .map((name) => `noload = ${name}.so`)
  .join('\n')}
`,
    'logger.conf': '[general]\n[logfiles]\nfull => notice,warning,error,verbose\n',
    'manager.conf': `
[general]
enabled = yes
bindaddr = 127.0.0.1
port = ${ports.ami}
#tryinclude manager_general.conf
[${managerUsers.driver.name}]
secret = ${managerUsers.driver.secret}
read = all
write = all
; A busy machine may keep the driver waiting; cut off, it would see nothing of the rows that are left.
writetimeout = 10000
[${managerUsers.recorder.name}]
secret = ${managerUsers.recorder.secret}
read = call
write = reporting
writetimeout = 10000
${bridgeUser}
`,
    'cdr.conf': `
[general]
enable = yes
; Also calls that reached no Dial and no Queue: the oracle must know every call.
unanswered = yes
congestion = yes
[csv]
usegmtime = yes
loguniqueid = yes
loguserfield = yes
`,
    'rtp.conf': `[general]\nrtpstart = ${ports.rtp[0]}\nrtpend = ${ports.rtp[1]}\n`,
    'pjsip.conf': pjsipConf(ports, 'from-trunk'),
    ...(options.chanSip ? { 'sip.conf': chanSipConf(ports) } : {}),
    'extensions.conf': options.dialplan,
    'queues.conf': `[general]\n${offices.map(queues).join('')}`,
    'agents.conf': `[general]\n${offices.map(({ number }) => `[${number}00]\n`).join('')}`,
    'voicemail.conf': `
[general]
format = wav
maxsilence = 0
; 0 leaves the mailbox for the operator
operator = yes
exitcontext = default
[default]
${offices.map((office) => `${office.number}000 => 0000,Office ${office.number}`).join('\n')}
`,
    'confbridge.conf': `
[general]
[default_user]
type = user
quiet = yes
[waiting_user]
type = user
quiet = yes
wait_marked = yes
[leader_user]
type = user
quiet = yes
marked = yes
[default_bridge]
type = bridge
`,
    'features.conf': `
[general]
pickupexten = *8
transferdigittimeout = 3
; ms between the digits of a feature code: on a busy machine they come late
featuredigittimeout = 5000
; shorter than the 9 s that an extension rings: Asterisk is to call back, not to give up; long enough for a busy machine
atxfernoanswertimeout = 7
atxferdropcall = no
; Asterisk sometimes takes its own call back to the transferrer away at once, and tries again after this
atxferloopdelay = 1
atxfercallbackretries = 4
atxferabort = *1
atxfercomplete = *2
atxferthreeway = *3
[featuremap]
blindxfer = ##
atxfer = *2
disconnect = **
`,
    'res_parking.conf': `
[general]
${offices.map(parkingLot).join('')}
`,
    'followme.conf': `
[general]
takecall = 1
declinecall = 2
${offices
  .map(
    (office) => `
[office-${office.number}]
context => from-internal
${['pls_hold', 'call_from', 'norecording', 'options', 'status'].map((it) => `${it}_prompt => digits/1`).join('\n')}
number => ${mobileNumber(office)},6
`,
  )
  .join('')}
`,
    'sla.conf': `[general]
${offices
  .map(
    (office) => `
[line${office.number}]
type = trunk
device = PJSIP/siproute-${office.number}
${[1, 2].map((nth) => `[station${office.extension(nth)}]\ntype = station\ndevice = PJSIP/${office.extension(nth)}\ntrunk = line${office.number}`).join('\n')}
`,
  )
  .join('')}
`,
    'musiconhold.conf': '[default]\nmode = files\ndirectory = /usr/share/asterisk/sounds/en/digits\n',
    'indications.conf': `
[general]
country = de
[de]
description = Germany
ringcadence = 1000,4000
dial = 425
busy = 425/480,0/480
ring = 425/1000,0/4000
congestion = 425/240,0/240
callwaiting = !425/200,!0/200,!425/200,!0/5000,!425/200,!0/200,!425/200,!0/5000
dialrecall = !425/100,!0/100,!425/100,!0/100,!425/100,!0/100,425
record = 1400/80,0/15000
info = 950/330,0/200,1400/330,0/200,1800/330,0/1000
`,
    'stasis.conf': '',
    'http.conf': `[general]\nenabled = yes\nbindaddr = 127.0.0.1\nbindport = ${ports.ari}\n`,
    'ari.conf': `
[general]
enabled = yes
[${managerUsers.driver.name}]
type = user
password = ${managerUsers.driver.secret}
`,
    'udptl.conf': '[general]\n',
  };
}

/**
 * Four queues of each office: phones or Local members, all at once or one by one. Who lets it ring is passed over after
 * a second; where all ring, they ring on: between two tries there would be nothing to pick up. Keys that a caller presses
 * lead to the context queue-exit.
 */
function queues(office: Office): string {
  const members = {
    phones: (extension: string) => `PJSIP/${extension}`,
    local: (extension: string) => `Local/${extension}@from-queue/n,0,Phone ${extension},PJSIP/${extension}`,
  };
  return Object.entries(members)
    .flatMap(([kind, member]) =>
      ['ringall', 'linear'].map(
        (strategy) => `
[${kind}-${strategy}-${office.number}]
strategy = ${strategy}
context = queue-exit
timeout = ${strategy === 'linear' ? 1 : 6}
retry = 1
ringinuse = no
joinempty = yes
leavewhenempty = no
member => ${member(office.extension(1))}
member => ${member(office.extension(2))}
`,
      ),
    )
    .join('');
}

function parkingLot(office: Office): string {
  return `
[lot-${office.number}]
context = parked-calls
parkext = ${office.number}700
parkpos = ${office.number}701-${office.number}709
findslot = first
; a busy machine needs time to have somebody fetch the call
parkingtime = 6
comebacktoorigin = yes
comebackdialtime = 20
`;
}

/** Modules that a small office has no use for and that would take time or ports. */
const unused = `
cdr_adaptive_odbc cdr_manager cdr_odbc cdr_pgsql cdr_radius cdr_tds cel_odbc cel_pgsql cel_radius cel_tds
chan_audiosocket chan_dahdi chan_iax2 chan_mgcp chan_mobile chan_ooh323 chan_phone chan_skinny chan_unistim
chan_websocket pbx_ael pbx_dundi pbx_lua res_calendar res_config_ldap res_config_odbc res_config_pgsql
res_config_sqlite3 res_hep res_hep_pjsip res_hep_rtcp res_odbc res_phoneprov
res_pjsip_phoneprov_provider res_snmp res_xmpp app_voicemail_imap app_voicemail_odbc
`
  .trim()
  .split(/\s+/);
