import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, globSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const project = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Lays out the program in the folder `home`: each file of src compiled into the same place below lib, beside its
 * libraries as npm installs them and its samples. What a file finds beside itself (schemas, samples, threads, what
 * browsers get) it finds as in a checkout.
 */
export function compile(home: string): void {
  const lib = join(home, 'lib');
  const compiler = join(project, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [compiler, '-p', join(project, 'systemd/build'), '--outDir', lib], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  for (const file of globSync('**/*.{sql,css,svg,webmanifest}', { cwd: join(project, 'src') }))
    cpSync(join(project, 'src', file), join(lib, file));
  cpSync(join(project, 'config'), join(home, 'config'), { recursive: true });
  installLibraries(home);
}

/** Those of the lock file that the program needs, without their install scripts; none has a part that is compiled. */
function installLibraries(home: string): void {
  for (const name of ['package.json', 'package-lock.json', '.npmrc'])
    copyFileSync(join(project, name), join(home, name));
  const options = ['--omit=dev', '--omit=optional', '--ignore-scripts', '--no-bin-links', '--prefer-offline'];
  execFileSync('npm', ['ci', '--silent', ...options], { cwd: home, stdio: ['ignore', 'ignore', 'inherit'] });
  // The last one names the registry that they are from.
  for (const name of ['package-lock.json', '.npmrc', 'node_modules/.package-lock.json'])
    rmSync(join(home, name));
}
