import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { project } from './compile.ts';
import { setUnreleased } from './unreleased.ts';

/**
 * `npm run release -- 1.2.0`: gives the version to package.json, the lock file and the Unreleased part of the
 * changelog, records what others rely on, commits, and tags. Pushes nothing. Run `.ci/run` on the commit before it.
 */
const [version = ''] = process.argv.slice(2);
if (!/^\d+\.\d+\.\d+$/.test(version)) refuse(`a version such as 1.2.0 is needed, got '${version}'`);
const changed = git('status', '--porcelain');
if (changed !== '') refuse(`commit or remove what is changed first:\n${changed}`);
if (git('tag', '--list', `v${version}`) !== '') refuse(`v${version} has been released`);

const changelog = join(project, 'CHANGELOG.md');
const text = setUnreleased(readFileSync(changelog, 'utf8'), version);
if (text === undefined)
  refuse(`CHANGELOG.md must begin with '## Unreleased' or '## ${version}', and say what is new`);
writeFileSync(changelog, text);
run('npm', 'version', '--no-git-tag-version', '--allow-same-version', version);
run('npm', 'run', 'stable');
run('npm', 'run', 'generate');
run('npm', 'run', 'check');
git('commit', '--all', '--allow-empty', '--message', `release: ${version}`);
git('tag', '--annotate', '--message', version, `v${version}`);
process.stdout.write(
  `v${version} is tagged. Build what is released with npm run build, then push the tag.\n`,
);

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: project, encoding: 'utf8' }).trim();
}

function run(command: string, ...args: string[]): void {
  execFileSync(command, args, { cwd: project, stdio: 'inherit' });
}

function refuse(why: string): never {
  process.stderr.write(`${why}\n`);
  process.exit(1);
}
