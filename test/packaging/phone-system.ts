import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Tree } from '../asterisk/install.ts';
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

/** How an Asterisk is laid out that somebody set up by hand, or FreePBX: what the steps of the README differ by. */
export const layouts = {
  plain: { trunkContext: 'calls-in', manager: (general: string) => ({ 'manager.conf': general }) },
  FreePBX: {
    trunkContext: 'from-pstn',
    manager: (general: string) => ({
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
  },
} as const;
export type Layout = keyof typeof layouts;

/** What the office's own people have set up: a trunk, a phone, and a call that Asterisk ends after two seconds. */
function office(layout: Layout, phonePort: number): Record<string, string> {
  const { trunkContext, manager } = layouts[layout];
  return {
    ...manager('[general]\nenabled = yes\nport = 5038\nbindaddr = 127.0.0.1\n'),
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
[1001]
type = endpoint
context = phones
disallow = all
allow = ulaw
direct_media = no
aors = 1001
[1001]
type = aor
contact = sip:1001@127.0.0.1:${phonePort}
`,
    'extensions.conf': `[${trunkContext}]
exten => _X.,1,Dial(PJSIP/1001,20,L(2000))
[phones]
exten => 1001,1,Dial(PJSIP/1001,20)
`,
  };
}

async function must(said: Promise<Said>): Promise<void> {
  const { code, output } = await said;
  if (code !== 0) throw new Error(output);
}
