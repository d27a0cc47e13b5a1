import { execFileSync } from 'node:child_process';
import { copyFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { project } from './compile.ts';
import { compression, type PackOptions } from './deb.ts';
import { manifest, names, settle, setVersion } from './stage.ts';

/** Makes an archive of a staged root, with a script that installs it where there are no Debian packages. Gives its path. */
export function packTarball(root: string, { arch, folder, changedAt }: PackOptions): string {
  const name = `pbx-bridge-${manifest.version}-linux-${names[arch].npm}`;
  const file = resolve(folder, `${name}.tar.xz`);
  setVersion(root, manifest.version);
  const script = join(root, 'install.sh');
  copyFileSync(join(project, 'systemd/tarball/install.sh'), script);
  settle(root, changedAt);
  const tar = [
    '--sort=name',
    '--owner=root:0',
    '--group=root:0',
    '--format=gnu',
    `--transform=s,^[.],${name},`,
  ];
  // One thread: how many there are decides where the stream is cut.
  const pipe = 'out=$1; level=$2; shift 2; tar "$@" | xz -T1 $level > "$out"';
  execFileSync('bash', [
    '-ec',
    `set -o pipefail; ${pipe}`,
    '',
    file,
    `-${compression}`,
    ...tar,
    '-C',
    root,
    '-c',
    '.',
  ]);
  rmSync(script);
  return file;
}
