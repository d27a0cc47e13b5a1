import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  globSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { project } from './compile.ts';

export const architectures = ['amd64', 'arm64'] as const;
export type Architecture = (typeof architectures)[number];

/** As npm and as the GNU tools call them. */
export const names = {
  amd64: { npm: 'x64', gnu: 'x86_64-linux-gnu', stripFrom: 'binutils' },
  arm64: { npm: 'arm64', gnu: 'aarch64-linux-gnu', stripFrom: 'binutils-aarch64-linux-gnu' },
} as const;

type Manifest = Readonly<Record<string, unknown>> & {
  readonly name: string;
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
};
export const manifest = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as Manifest;

const systemd = (name: string) => join(project, 'systemd', name);

/** Where the program lies on the machine that it is installed on. */
const home = 'usr/lib/pbx-bridge';

/** Lays out in `root` all that is put on a machine: the compiled `program`, its runtime, its units, its documents. */
export function stage(root: string, program: string, arch: Architecture): void {
  const at = (...parts: string[]) => join(root, home, ...parts);
  cpSync(program, at(), { recursive: true });
  mkdirSync(at('bin'));
  runtime(at, arch);
  surroundings(root);
}

/** Says in the staged root which version this is. */
export function setVersion(root: string, version: string): void {
  const { name, description, license, type, engines } = manifest;
  const kept = { name, version, description, license, type, engines };
  writeFileSync(join(root, home, 'package.json'), `${JSON.stringify(kept, undefined, 2)}\n`);
}

/** Node alone, of all that its package holds, without the symbols that only a debugger reads. */
function runtime(at: (...parts: string[]) => string, arch: Architecture): void {
  const { npm, gnu, stripFrom } = names[arch];
  const folder = mkdtempSync(join(tmpdir(), 'pbx-bridge-runtime-'));
  try {
    const archive = fetchLocked(`node-linux-${npm}`, folder);
    execFileSync('tar', ['-xzf', archive, '-C', folder, 'package/bin/node', 'package/LICENSE']);
    copyFileSync(join(folder, 'package/bin/node'), at('bin/node'));
    copyFileSync(join(folder, 'package/LICENSE'), at('bin/node.LICENSE'));
  } finally {
    rmSync(folder, { recursive: true });
  }
  try {
    execFileSync(`${gnu}-strip`, ['--strip-unneeded', at('bin/node')]);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new Error(`${gnu}-strip is missing; it comes with apt-get install ${stripFrom}`);
  }
}

/** The archive of a package, as the lock file has it: npm installs only what is for the machine that it runs on. */
function fetchLocked(name: string, folder: string): string {
  const { packages } = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8')) as Lock;
  const locked = packages[`node_modules/${name}`];
  if (locked === undefined) throw new Error(`the lock file has no ${name}`);
  const options = ['--json', '--silent', '--prefer-offline', `--pack-destination=${folder}`];
  const said = execFileSync('npm', ['pack', `${name}@${locked.version}`, ...options], {
    cwd: project,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [packed] = JSON.parse(said) as { filename: string; integrity: string }[];
  if (packed?.integrity !== locked.integrity)
    throw new Error(`${name} has the sum ${packed?.integrity}; the lock file says ${locked.integrity}`);
  return join(folder, packed.filename);
}

type Lock = {
  readonly packages: Readonly<Record<string, { readonly version: string; readonly integrity: string }>>;
};

function surroundings(root: string): void {
  const put = (from: string, to: string) => {
    mkdirSync(dirname(join(root, to)), { recursive: true });
    copyFileSync(from, join(root, to));
  };
  for (const unit of globSync('systemd/*.service', { cwd: project }))
    put(join(project, unit), `lib/systemd/system/${basename(unit)}`);
  const unit = readFileSync(systemd('pbx-bridge.service'), 'utf8');
  writeFileSync(join(root, 'lib/systemd/system/pbx-bridge@.service'), instanceUnit(unit));
  put(systemd('deb/pbx-bridge'), 'usr/bin/pbx-bridge');
  put(systemd('completion/pbx-bridge'), 'usr/share/bash-completion/completions/pbx-bridge');
  for (const page of globSync('systemd/man/*', { cwd: project })) {
    const folder = join(root, `usr/share/man/man${page.at(-1)}`);
    mkdirSync(folder, { recursive: true });
    const text = readFileSync(join(project, page));
    writeFileSync(join(folder, `${basename(page)}.gz`), gzipSync(text, { level: 9 }));
  }
  // The documents for operators, in the folders that their links name.
  for (const name of globSync(['*.md', 'config/*.md', 'src/service/README.md', 'test/pictures/*.webp'], {
    cwd: project,
  }))
    put(join(project, name), `usr/share/doc/pbx-bridge/${name}`);
}

/** The unit of each further bridge, `pbx-bridge@NAME`, from that of the first: its settings and its state have that name. */
function instanceUnit(unit: string): string {
  return unit
    .replace(/^Description=.*/m, '$& of %i')
    .replace('/etc/pbx-bridge/bridge.env', '/etc/pbx-bridge/%i.env')
    .replace('StateDirectory=pbx-bridge/bridge', 'StateDirectory=pbx-bridge/%i');
}

/** What may be run; everything else is only read. */
const programs =
  /^(usr\/bin\/.*|(.*\/)?bin\/(node|pbx-bridge\.cjs)|install\.sh|DEBIAN\/(postinst|prerm|postrm))$/;

/** Fixed modes and times, so that a build does not depend on the builder's umask or machine. */
export function settle(root: string, changedAt: number): void {
  for (const name of ['', ...contents(root)]) {
    const path = join(root, name);
    const stat = lstatSync(path);
    if (!stat.isSymbolicLink()) chmodSync(path, stat.isDirectory() || programs.test(name) ? 0o755 : 0o644);
    lutimesSync(path, changedAt, changedAt);
  }
}

export function contents(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' }).sort();
}
