import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Ami } from './ami.ts';
import { didPattern, officeOfDid, prioritise, type Route } from './dialplan.ts';
import type { FastAgiScripts } from './freepbx-fastagi.ts';
import { mobileNumber } from './office-numbers.ts';
import { type Office, officeCount, offices } from './offices.ts';

/**
 * The dialplan that FreePBX's own modules write, of release 17 or 16: inbound routes, extensions, ring groups, queues, menus,
 * follow-me, time conditions, parking, routes and trunks of the lab's offices, entered as data. The modules' code is
 * not part of this project; FREEPBX_SOURCE and FREEPBX_SOURCE_16 name folders with a checkout of each.
 */
const modules = [
  'core',
  'ringgroups',
  'findmefollow',
  'queues',
  'ivr',
  'announcement',
  'timeconditions',
  'parking',
  'callforward',
  'callwaiting',
  'donotdisturb',
  'callrecording',
  'conferences',
];

/** FreePBX's release: 17 writes Gosub for Asterisk 22, 16 for Asterisk 16. */
type Release = '17' | '16';
const variables = { 17: 'FREEPBX_SOURCE', 16: 'FREEPBX_SOURCE_16' } as const;
const folderOf = (release: Release) => process.env[variables[release]];

/** How long an extension rings, s: pickups come one after the other (`stage.ts`), and on a busy machine late. */
const ringTimer = '6';

/** Why FreePBX's dialplan cannot be generated here, in one line, with how to get it; undefined if it can. */
export function generationImpossible(release: Release): string | undefined {
  const folder = folderOf(release);
  const variable = variables[release];
  if (folder === undefined)
    return `${variable} names no folder with FreePBX's modules (git clone --branch release/${release}.0 https://github.com/FreePBX/MODULE for ${modules.join(', ')}, and Debian's php-cli, php-sqlite3, php-xml)`;
  const missing = modules.filter((name) => !existsSync(path.join(folder, name, 'module.xml')));
  if (missing.length > 0) return `${variable} lacks ${missing.join(', ')}`;
  const releaseOf = (name: string) =>
    /<version>([^<]*)</.exec(readFileSync(path.join(folder, name, 'module.xml'), 'utf8'))?.[1] ?? '';
  const other = modules.filter((name) => !releaseOf(name).startsWith(`${release}.`));
  if (other.length > 0)
    return `${variable} must have release ${release} of each module, not ${other.map((name) => `${name} ${releaseOf(name)}`).join(', ')}`;
  const { status } = spawnSync('php', [
    '-r',
    'exit((int) !class_exists("SQLite3") + (int) !function_exists("simplexml_load_file"));',
  ]);
  return status === 0
    ? undefined
    : "php-cli with sqlite3 and xml is missing (Debian's php-cli, php-sqlite3, php-xml)";
}

/** Writes the dialplan. A row's inbound route leads to a custom destination, which does what the row says. */
export function generatedDialplan(release: Release, fastAgi: number, routes: readonly Route[]): string {
  const folder = folderOf(release) ?? '';
  const { stdout, stderr, status } = spawnSync(
    'php',
    [path.join(import.meta.dirname, 'freepbx-generated', 'generate.php'), folder],
    { input: JSON.stringify(configuration(release, routes)), encoding: 'utf8', maxBuffer: 1 << 26 },
  );
  if (status !== 0) throw new Error(`FreePBX's modules wrote no dialplan: ${stderr.slice(-2000)}`);
  // FreePBX's framework writes this where LAUNCH_AGI_AS_FASTAGI is on, which is the default.
  const overFastAgi = `AGI(agi://127.0.0.1:${fastAgi}/dialparties.agi)`;
  // Where the published modules do not fit each other: ring groups ask a mobile under the name, and by the option, of an
  // earlier core.
  const written = stdout.replaceAll('agi(dialparties.agi)', overFastAgi);
  if (release === '16') return `[general]\n${written}\n${fixedParts(folder)}\n${customParts(routes)}`;
  const generated = written
    .replaceAll(/_RG-(\d+)-\.,/g, '_RG-$1*.,')
    .replaceAll('M(confirm^', 'U(macro-confirm^')
    .replaceAll(/\{\$\{EXTEN:8\}\}/g, '${EXTEN:9}');
  return `[general]\n${generated}\n${fixedParts(folder)}\n${customParts(routes)}`;
}

/** What FreePBX keeps in Asterisk's database of an office's extensions, by family and key. */
function databaseOf(office: Office): [family: string, key: string, value: string][] {
  return office.extensions.flatMap((extension, i) => {
    const user = {
      cidname: `Phone ${extension}`,
      cidnum: extension,
      device: extension,
      voicemail: 'default',
      ringtimer: ringTimer,
      answermode: 'disabled',
      concurrency_limit: '3',
    };
    const followed = i === 2 || i === 3;
    const followMe = {
      'followme/ddial': 'DIRECT',
      'followme/prering': i === 2 ? '0' : '2',
      'followme/grptime': '6',
      'followme/grplist': `${i === 2 ? `${extension}-` : ''}0${mobileNumber(office)}#`,
      'followme/grpconf': i === 2 ? 'ENABLED' : 'DISABLED',
      'followme/changecid': 'default',
      'followme/strategy': 'ringallv2',
      'followme/ringing': 'Ring',
      'followme/postdest': `ext-local,${extension},dest`,
    };
    const device = {
      dial: `PJSIP/${extension}`,
      type: 'fixed',
      user: extension,
      default_user: extension,
      tech: 'pjsip',
    };
    const entries = (family: string, of: object) =>
      Object.entries(of).map(([key, value]): [string, string, string] => [
        `${family}/${extension}`,
        key,
        value,
      ]);
    return [
      ...entries('AMPUSER', { ...user, ...(followed ? followMe : {}) }),
      ...entries('DEVICE', device),
      ['CW', extension, 'ENABLED'],
    ];
  });
}

/** Puts into Asterisk's database what FreePBX puts there when an extension is saved. */
export async function fillDatabase(driver: Ami): Promise<void> {
  for (const [family, key, value] of offices.flatMap(databaseOf))
    await driver.action('DBPut', { Family: family, Key: key, Val: value });
}

/** FreePBX's own scripts of AGI; what they need of its framework is beside them. */
const agiFolder = path.join(import.meta.dirname, 'freepbx-generated', 'agi');
export const generatedScripts = (release: Release): FastAgiScripts => ({
  folder: path.join(folderOf(release) ?? '', 'core', 'agi-bin'),
  env: { PHP_INI_SCAN_DIR: `:${agiFolder}`, LAB_PHP_FOLDER: agiFolder },
});

/** Each extension has a mailbox of its own. */
export function generatedFiles(): Readonly<Record<string, string>> {
  const boxes = offices.flatMap(({ extensions }) => extensions);
  return {
    'voicemail.conf': `[general]
format = wav
maxsilence = 0
operator = yes
exitcontext = default
[default]
${boxes.map((box) => `${box} => 0000,Phone ${box}`).join('\n')}
`,
  };
}

function configuration(release: Release, routes: readonly Route[]): object {
  const each = <T>(of: (office: Office) => T[]) => offices.flatMap(of);
  const extensions = offices.flatMap((office) => office.extensions);
  const all = (number: number, of: object[]) => of.map((row) => ({ trunkid: number, ...row }));
  return {
    version: release === '17' ? '22.0.0' : '16.0.0',
    modules,
    settings: {
      AMPBIN: '/usr/sbin',
      ASTCONFAPP: 'app_confbridge',
      ASTSIPDRIVER: 'chan_pjsip',
      CFRINGTIMERDEFAULT: '0',
      CWINUSEBUSY: 'true',
      DIAL_OPTIONS: 'HhTtr',
      INTERNALALERTINFO: 'inherit',
      RINGTIMER: ringTimer,
      TONEZONE: 'de',
      TRANSFER_CONTEXT: 'from-internal-xfer',
      TRUNK_OPTIONS: 'T',
      TRUNK_RING_TIMER: '300',
    },
    codes: { 'core/pickup': '**' },
    entries: Object.fromEntries(each(databaseOf).map(([family, key, value]) => [`${family}/${key}`, value])),
    tables: {
      users: extensions.map((extension) => ({
        extension,
        name: `Phone ${extension}`,
        voicemail: 'default',
        ringtimer: ringTimer,
      })),
      devices: extensions.map((id) => ({
        id,
        tech: 'pjsip',
        dial: `PJSIP/${id}`,
        devicetype: 'fixed',
        user: id,
      })),
      incoming: [
        ...routes.map(({ index }) => ({ extension: didPattern(index), destination: `lab-rows,\${EXTEN},1` })),
        ...offices.map((office) => ({
          extension: `4930231250${office.number}0`,
          destination: `from-did-direct,${office.extension(2)},1`,
        })),
      ].map((route) => ({ ...route, mohclass: 'default', indication_zone: 'default' })),
      trunks: [
        { trunkid: 9, name: 'trunk', tech: 'pjsip', channelid: 'trunk' },
        ...each(({ number }) =>
          all(number, [
            { name: `out-${number}`, tech: 'pjsip', channelid: `siproute-${number}`, outcid: '4930231250' },
          ]),
        ),
      ],
      outbound_routes: each(({ number }) => [{ route_id: number, name: `mobile-${number}` }]),
      outbound_route_patterns: each(({ number }) => [
        { route_id: number, match_pattern_prefix: '0', match_pattern_pass: `+4917139200${number}X` },
      ]),
      outbound_route_trunks: each(({ number }) => [{ route_id: number, trunk_id: number, seq: 0 }]),
      outbound_route_sequence: each(({ number }) => [{ route_id: number, seq: number }]),
      ringgroups: each((office) => {
        const phones = [office.extension(1), office.extension(2)];
        const mobile = `0${mobileNumber(office)}#`;
        const group = (number: number, grplist: string[], more: object = {}) => ({
          grpnum: `${office.number}${number}`,
          grplist: grplist.join('-'),
          strategy: 'ringall',
          grptime: 4,
          grppre: 'Sales:',
          annmsg_id: 0,
          ringing: 'Ring',
          postdest: 'app-blackhole,hangup,1',
          needsconf: '',
          progress: 'no',
          ...more,
        });
        const asked = { needsconf: 'CHECKED', grptime: 6 };
        return [
          group(600, phones),
          group(601, [phones[0] ?? '', mobile]),
          group(602, [phones[0] ?? '', mobile], asked),
          group(603, phones.slice(0, 1), { postdest: `ext-local,vmu${office.extension(2)},1` }),
        ];
      }),
      findmefollow: each((office) =>
        [3, 4].map((nth) => ({
          grpnum: office.extension(nth),
          strategy: 'ringallv2',
          grptime: 6,
          pre_ring: nth === 3 ? 0 : 2,
          grplist: `0${mobileNumber(office)}#`,
          needsconf: nth === 3 ? 'CHECKED' : '',
          ringing: 'Ring',
          postdest: `ext-local,${office.extension(nth)},dest`,
        })),
      ),
      queues_config: each(({ number }) =>
        [400, 401].map((queue) => ({
          extension: `${number}${queue}`,
          descr: 'Support',
          grppre: 'Support:',
          maxwait: '8',
          dest: `ext-local,vmu${number}001,1`,
        })),
      ),
      queues_details: each(({ number }) =>
        [400, 401].flatMap((queue) => [{ id: `${number}${queue}`, keyword: 'strategy', data: 'ringall' }]),
      ),
      ivr_details: each(({ number }) => [
        {
          id: number,
          name: `menu-${number}`,
          directdial: '',
          timeout_time: 3,
          invalid_loops: 1,
          timeout_loops: 0,
          invalid_destination: 'app-blackhole,hangup,1',
          timeout_destination: 'app-blackhole,hangup,1',
        },
      ]),
      ivr_entries: each((office) => [
        {
          ivr_id: office.number,
          selection: '1',
          dest: `from-did-direct,${office.extension(1)},1`,
          ivr_ret: 0,
        },
        { ivr_id: office.number, selection: '2', dest: `ext-queues,${office.number}400,1`, ivr_ret: 0 },
      ]),
      announcement: each(({ number }) => [
        {
          announcement_id: number,
          description: 'closed',
          recording_id: 1,
          post_dest: 'app-blackhole,hangup,1',
        },
      ]),
      timegroups_groups: [
        { id: 1, description: 'always' },
        { id: 2, description: 'never' },
      ],
      timegroups_details: [
        { id: 1, timegroupid: 1, time: '*|*|*|*' },
        { id: 2, timegroupid: 2, time: '00:00-00:01|*|31|jan' },
      ],
      timeconditions: each(({ number }) =>
        [1, 2].map((group) => ({
          timeconditions_id: number * 10 + group,
          displayname: `hours-${number}-${group}`,
          time: group,
          mode: 'time-group',
          truegoto: `ext-group,${number}600,1`,
          falsegoto: group === 1 ? 'app-blackhole,hangup,1' : `app-announcement-${number},s,1`,
        })),
      ),
      meetme: each(({ number }) => [
        { exten: `${number}070`, description: 'meeting', options: '', users: 0 },
      ]),
      parkplus: [
        {
          id: 1,
          defaultlot: 'yes',
          type: 'public',
          name: 'Default',
          parkext: '70',
          parkpos: '71',
          numslots: 8,
          parkingtime: 2,
          comebacktoorigin: 'yes',
          dest: 'app-blackhole,hangup,1',
        },
      ],
      globals: [{ variable: 'VM_PREFIX', value: '*' }],
      voicemail_admin: [{ variable: 'VM_OPTS', value: 's' }],
    },
  };
}

/** The contexts that FreePBX does not generate, but copies (core's extensions.conf): those that lead to others. */
function fixedParts(folder: string): string {
  const text = readFileSync(path.join(folder, 'core', 'etc', 'extensions.conf'), 'utf8');
  return text.replaceAll(/^#include .*$/gm, '');
}

/** The site's own contexts. */
function customParts(routes: readonly Route[]): string {
  const ofRow = ({ index, lines }: Route) => `exten => ${didPattern(index)},1,Set(__O=${officeOfDid})
 same => n,Noop(\${DB_DELETE(CF/\${O}001)})
${lines.map(inTheirWords).map(prioritise).join('\n')}
 same => n,Hangup()
`;
  return `
[lab-rows]
${routes.map(ofRow).join('')}
exten => h,1,Gosub(macro-hangupcall,s,1())
; each office has a lot of its own; FreePBX has one, with numbers of two digits
[park-return-routing-custom]
exten => _[1-${officeCount}]7X,1,Goto(park-return-routing,\${EXTEN:1},1)
[from-internal-custom]
include => parked-calls
exten => _4930231250X0,1,Goto(from-trunk,\${EXTEN},1)
exten => _+X.,1,Goto(from-internal,0\${EXTEN},1)
[parked-calls]
[default]
exten => o,1,Dial(Local/4930231250\${O}0@from-pstn,6)
`;
}

/** What a row leads to, by the names that FreePBX gives it. */
function inTheirWords(line: string): string {
  return line
    .replace(/^Set\(__CF_\{O\}001=(.*)\)$/, 'Set(DB(CF/{O}001)=$1)')
    .replace('ivr-1,', 'ivr-{O},')
    .replace('timeconditions,open', 'timeconditions,{O}1')
    .replace('timeconditions,closed', 'timeconditions,{O}2')
    .replace('vmu{O}000', 'vmu{O}001');
}
