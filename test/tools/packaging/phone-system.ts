import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { didOf } from '../lab/dialplan.ts';
import { freepbxDialplan, freepbxFiles } from '../lab/freepbx-dialplan.ts';
import { freepbxFastAgiPort } from '../lab/freepbx-fastagi.ts';
import type { Tree } from '../lab/install.ts';
import type { Machine, Said } from './machine.ts';

/** Where Asterisk's own Debian lies on the machine; it needs newer libraries than Debian 12 has. */
const home = '/opt/asterisk';

/** What Asterisk keeps on the machine itself, as its Debian package lays it out. */
const folders = ['/etc/asterisk', '/var/lib/asterisk', '/var/log/asterisk', '/var/spool/asterisk'];

/**
 * Makes the machine the PBX of a small office before anybody has heard of pbx-bridge: an Asterisk as Debian packages
 * it, that systemd runs, with a trunk, a phone and a line of dialplan. It goes on when the machine is booted with
 * `mounts`.
 */
export async function addPhoneSystem(
  machine: Machine,
  { root }: Tree,
  { layout, phonePort }: { readonly layout: Layout; readonly phonePort: number },
): Promise<{ readonly mounts: readonly string[] }> {
  await must(machine.chroot('adduser', '--system', '--group', '--quiet', '--no-create-home', 'asterisk'));
  mkdirSync(machine.at(home));
  for (const folder of folders) {
    rmSync(machine.at(folder), { recursive: true, force: true });
    cpSync(path.join(root, folder), machine.at(folder), { recursive: true, verbatimSymlinks: true });
  }
  for (const [name, text] of Object.entries(office(layout, phonePort)))
    writeFileSync(machine.at('etc/asterisk', name), text);
  await must(machine.chroot('chown', '-R', 'asterisk:asterisk', ...folders));
  writeFileSync(machine.at('etc/systemd/system/asterisk.service'), unit);
  writeFileSync(machine.at('usr/sbin/asterisk'), program, { mode: 0o755 });
  await must(machine.chroot('systemctl', 'enable', 'asterisk.service'));
  return { mounts: [`--bind-ro=${root}:${home}`] };
}

const unit = `[Unit]
Description=Asterisk PBX
[Service]
Type=notify
RootDirectory=${home}
MountAPIVFS=yes
BindPaths=/etc ${folders.slice(1).join(' ')}
RuntimeDirectory=asterisk
ExecStart=/usr/sbin/asterisk -g -f -U asterisk -G asterisk
[Install]
WantedBy=multi-user.target
`;

/** \`asterisk -rx ...\` on the machine. */
const program = `#!/bin/sh
pid=$(systemctl show --value -p MainPID asterisk.service)
if [ "$pid" = 0 ]; then echo 'Asterisk is not running' >&2; exit 1; fi
exec nsenter -t "$pid" -m -r -w /usr/sbin/asterisk "$@"
`;

/**
 * How an Asterisk is laid out that somebody set up by hand, or FreePBX: what the steps of the README differ by. `called`:
 * the number whose calls ring at the phone. Asterisk ends them after two seconds.
 */
export const layouts = {
  plain: {
    called: '4930901820',
    trunkContext: 'calls-in',
    manager: (general: string): Record<string, string> => ({ 'manager.conf': general }),
    dialplan: (): Record<string, string> => ({
      'extensions.conf': `[calls-in]
exten => _X.,1,Dial(PJSIP/1001,20,L(2000))
[from-internal]
exten => 1001,1,Dial(PJSIP/1001,20)
`,
    }),
  },
  /** FreePBX's own lines, with its ring group behind its own FastAGI server. */
  FreePBX: {
    called: didOf(0, 1),
    trunkContext: 'from-trunk-pjsip-trunk',
    manager: (general: string): Record<string, string> => ({
      'manager.conf': `${general}
[admin]
secret = set-by-freepbx
read = all
write = all
#include manager_additional.conf
#include manager_custom.conf
`,
      'manager_additional.conf': ';made by FreePBX\n',
      'manager_custom.conf': '',
    }),
    dialplan: (): Record<string, string> => ({
      ...freepbxFiles('PJSIP'),
      'extensions.conf': freepbxDialplan('22', freepbxFastAgiPort, [
        { index: 0, lines: ['Goto(ext-group,{O}600,1)'] },
      ]).replace('DIAL_OPTIONS=HhTtr', '$&L(2000)'),
    }),
  },
} as const;
export type Layout = keyof typeof layouts;

/** What the office's own people have set up: a trunk, a phone, one that is switched off, and where calls go. */
function office(layout: Layout, phonePort: number): Record<string, string> {
  const { trunkContext, manager, dialplan } = layouts[layout];
  const phone = (extension: number, port: number) => `[${extension}]
type = endpoint
context = from-internal
disallow = all
allow = ulaw
direct_media = no
aors = ${extension}
[${extension}]
type = aor
contact = sip:${extension}@127.0.0.1:${port}
`;
  return {
    ...manager('[general]\nenabled = yes\nport = 5038\nbindaddr = 127.0.0.1\n'),
    ...dialplan(),
    'pjsip.conf': `[transport]
type = transport
protocol = udp
bind = 127.0.0.1:5060
[provider]
type = endpoint
context = ${trunkContext}
trust_id_inbound = yes
disallow = all
allow = ulaw
direct_media = no
[provider]
type = identify
endpoint = provider
match_header = X-Provider: yes
${phone(1001, phonePort)}${phone(1002, phonePort + 10)}`,
  };
}

async function must(said: Promise<Said>): Promise<void> {
  const { code, output } = await said;
  if (code !== 0) throw new Error(output);
}
