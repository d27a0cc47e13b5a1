import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { project } from './compile.ts';
import { type Architecture, contents, manifest, settle, setVersion } from './stage.ts';

export type PackOptions = {
  readonly arch: Architecture;
  /** Where the package goes. */
  readonly folder: string;
  /** Unix seconds: the time of every file in it. */
  readonly changedAt: number;
  /** Its version; that of package.json when absent. */
  readonly version?: string;
  /** Quickly compressed, for tests that install it many times. */
  readonly isQuick?: boolean;
};

/** Of xz, which every dpkg can read, that of Debian 11 too. The highest makes a fifth less of it in twelve times the time. */
export const compression = 0;

/** Makes a package of a staged root. Gives its path. */
export function packDeb(root: string, options: PackOptions): string {
  const { arch, folder, changedAt } = options;
  const version = options.version ?? manifest.version;
  setVersion(root, version);
  documents(root, version, changedAt);
  controlFiles(root, { version, arch });
  settle(root, changedAt);
  const file = join(folder, `pbx-bridge_${version}_${arch}.deb`);
  const how = options.isQuick ? ['-Zgzip', '-z1'] : ['-Zxz', `-z${compression}`];
  execFileSync('dpkg-deb', ['--root-owner-group', ...how, '--build', root, file], {
    // One thread: how many there are decides where the stream is cut.
    env: { ...process.env, SOURCE_DATE_EPOCH: String(changedAt), DPKG_DEB_THREADS_MAX: '1' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return file;
}

/** What Debian wants in every package: whose it is, and what has changed. */
function documents(root: string, version: string, changedAt: number): void {
  const folder = join(root, 'usr/share/doc/pbx-bridge');
  const own = readFileSync(join(project, 'LICENSE'), 'utf8');
  const copyright = [
    'pbx-bridge, its own files:',
    own,
    'The licences of its libraries are in their folders of /usr/lib/pbx-bridge/node_modules; that of the runtime is in',
    '/usr/lib/pbx-bridge/bin/node.LICENSE.',
  ];
  const overrides = join(root, 'usr/share/lintian/overrides/pbx-bridge');
  mkdirSync(dirname(overrides), { recursive: true });
  copyFileSync(join(project, 'systemd/deb/lintian-overrides'), overrides);
  writeFileSync(join(folder, 'copyright'), `${copyright.join('\n')}\n`);
  const date = new Date(changedAt * 1000).toUTCString().replace('GMT', '+0000');
  const changelog = [
    `pbx-bridge (${version}) stable; urgency=medium`,
    '',
    '  * See CHANGELOG.md.',
    '',
    ` -- ${maintainer}  ${date}`,
  ];
  writeFileSync(join(folder, 'changelog.gz'), gzipSync(`${changelog.join('\n')}\n`, { level: 9 }));
}

const maintainer = 'pbx-bridge maintainers <maintainers@pbx-bridge.invalid>';

type About = { readonly version: string; readonly arch: Architecture };

function controlFiles(root: string, about: About): void {
  const debian = join(root, 'DEBIAN');
  rmSync(debian, { recursive: true, force: true });
  const files = contents(root).filter((name) => lstatSync(join(root, name)).isFile());
  const bytes = files.reduce((sum, name) => sum + lstatSync(join(root, name)).size, 0);
  mkdirSync(debian);
  for (const script of ['postinst', 'prerm', 'postrm']) {
    copyFileSync(join(project, 'systemd/deb', script), join(debian, script));
  }
  const sums = files.sort().map((name) => {
    const sum = createHash('md5')
      .update(readFileSync(join(root, name)))
      .digest('hex');
    return `${sum}  ${name}\n`;
  });
  writeFileSync(join(debian, 'md5sums'), sums.join(''));
  writeFileSync(join(debian, 'control'), control(about, Math.ceil(bytes / 1024)));
}

/** The libraries are those that Node is linked with, in the versions that its symbols name. */
function control({ version, arch }: About, kib: number): string {
  return `Package: pbx-bridge
Version: ${version}
Architecture: ${arch}
Maintainer: ${maintainer}
Installed-Size: ${kib}
Depends: adduser, init-system-helpers (>= 1.54), libatomic1, libc6 (>= 2.28), libgcc-s1, libstdc++6 (>= 5.2)
Recommends: systemd (>= 247)
Suggests: asterisk
Section: comm
Priority: optional
Description: tells a Call Integration API of a phone system's inbound calls
 It watches an Asterisk phone system over its manager interface (AMI), and
 every inbound call reaches the API: once, in order, whatever breaks on the
 way. It answers priority lookups of the dialplan (FastAGI), and brings the
 other end of the API along, as a service of its own.
`;
}
