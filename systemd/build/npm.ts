import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { project } from './compile.ts';
import { manifest, settle } from './stage.ts';

/**
 * Makes the package that `npx pbx-bridge` runs of the compiled `program`, in the new folder `root`. It brings its libraries along; only the
 * runtime is installed beside it, the one for the machine. Gives its path, in `folder`.
 */
export function packNpm(root: string, program: string, folder: string): string {
  cpSync(program, root, { recursive: true });
  mkdirSync(join(root, 'bin'));
  copyFileSync(join(project, 'systemd/npm/pbx-bridge.cjs'), join(root, 'bin/pbx-bridge.cjs'));
  for (const name of ['README.md', 'CHANGELOG.md', 'SECURITY.md', 'LICENSE'])
    copyFileSync(join(project, name), join(root, name));
  const { name, version, description, license, type, optionalDependencies, dependencies } = manifest;
  const about = {
    name,
    version,
    description,
    license,
    type,
    optionalDependencies,
    bin: { 'pbx-bridge': 'bin/pbx-bridge.cjs' },
    // Of what starts it.
    engines: { node: '>=18' },
    dependencies,
    bundleDependencies: Object.keys(dependencies),
  };
  writeFileSync(join(root, 'package.json'), `${JSON.stringify(about, undefined, 2)}\n`);
  settle(root, 0); // npm sets a time of its own
  const options = ['--silent', '--ignore-scripts', `--pack-destination=${resolve(folder)}`];
  execFileSync('npm', ['pack', ...options], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  return join(folder, `${name}-${version}.tgz`);
}
