import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

export const architectures = ['amd64', 'arm64'] as const;
export type Architecture = (typeof architectures)[number];

/** As npm and as the GNU tools call them. */
const names = {
  amd64: { npm: 'x64', gnu: 'x86_64-linux-gnu', stripFrom: 'binutils' },
  arm64: { npm: 'arm64', gnu: 'aarch64-linux-gnu', stripFrom: 'binutils-aarch64-linux-gnu' },
} as const;

const project = fileURLToPath(new URL('../..', import.meta.url));
const here = (name: string) => join(project, 'systemd/deb', name);

/** Where the program lies on the machine that it is installed on. */
const home = 'usr/lib/pbx-bridge';

/**
 * What a library brings along that a running program never opens. Types in node_modules are never loaded. Folders
 * only at a library's top: further down, a `spec` may be code.
 */
const ballast = [
  '**/*.{ts,mts,cts,map,flow,md,markdown,html,sh,yml,tgz}',
  '{,**/node_modules/}{*,@*/*}/{test,tests,docs,benchmark,benchmarks,example,examples,integration,scripts}/',
  '**/.*',
];

/** Lays out in `root` all that the package puts on a machine: the program, its libraries, its runtime, its units. */
export function stage(root: string, arch: Architecture): void {
  const at = (...parts: string[]) => join(root, home, ...parts);
  mkdirSync(at('bin'), { recursive: true });
  program(at);
  libraries(at, arch);
  runtime(at, arch);
  surroundings(root);
}

function program(at: (...parts: string[]) => string): void {
  const forTests = /\.(test|fixture)\.ts$/;
  cpSync(join(project, 'src'), at('src'), { recursive: true, filter: (path) => !forTests.test(path) });
  cpSync(join(project, 'config'), at('config'), { recursive: true });
  copyFileSync(join(project, 'package.json'), at('package.json'));
}

/** The lock file's production dependencies for that architecture; npm checks each against its sum. */
function libraries(at: (...parts: string[]) => string, arch: Architecture): void {
  for (const name of ['package-lock.json', '.npmrc']) copyFileSync(join(project, name), at(name));
  const platform = ['--os=linux', `--cpu=${names[arch].npm}`, '--libc=glibc'];
  const options = ['--omit=dev', '--ignore-scripts', '--prefer-offline', ...platform];
  execFileSync('npm', ['ci', '--silent', ...options], { cwd: at(), stdio: ['ignore', 'ignore', 'inherit'] });
  for (const name of ['package-lock.json', '.npmrc', 'node_modules/.bin', 'node_modules/.package-lock.json'])
    rmSync(at(name), { recursive: true });
  for (const name of globSync(ballast, { cwd: at('node_modules') }))
    if (!/^licen[cs]e/i.test(basename(name)))
      rmSync(at('node_modules', name), { recursive: true, force: true });
}

/** Node alone, of all that its package holds, without the symbols that only a debugger reads. */
function runtime(at: (...parts: string[]) => string, arch: Architecture): void {
  const { npm, gnu, stripFrom } = names[arch];
  const node = at('bin/node');
  const from = at(`node_modules/node-linux-${npm}`);
  if (!existsSync(from)) throw new Error(`the lock file has no node-linux-${npm}`);
  renameSync(join(from, 'bin/node'), node);
  renameSync(join(from, 'LICENSE'), at('bin/node.LICENSE'));
  rmSync(from, { recursive: true });
  try {
    execFileSync(`${gnu}-strip`, ['--strip-unneeded', node]);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new Error(`${gnu}-strip is missing; it comes with apt-get install ${stripFrom}`);
  }
}

function surroundings(root: string): void {
  const put = (from: string, to: string) => {
    mkdirSync(dirname(join(root, to)), { recursive: true });
    copyFileSync(from, join(root, to));
  };
  for (const unit of globSync('systemd/*.service', { cwd: project }))
    put(join(project, unit), `lib/systemd/system/${basename(unit)}`);
  put(here('pbx-bridge'), 'usr/bin/pbx-bridge');
  put(here('lintian-overrides'), 'usr/share/lintian/overrides/pbx-bridge');
  put(join(project, 'systemd/completion/pbx-bridge'), 'usr/share/bash-completion/completions/pbx-bridge');
  for (const page of globSync('systemd/man/*', { cwd: project })) {
    const folder = join(root, `usr/share/man/man${page.at(-1)}`);
    mkdirSync(folder, { recursive: true });
    const text = readFileSync(join(project, page));
    writeFileSync(join(folder, `${basename(page)}.gz`), gzipSync(text, { level: 9 }));
  }
  // The documents for operators, in the folders that their links name.
  for (const name of globSync(['*.md', 'config/*.md', 'src/service/README.md', 'test/pictures/*.png'], {
    cwd: project,
  }))
    put(join(project, name), `usr/share/doc/pbx-bridge/${name}`);
}
