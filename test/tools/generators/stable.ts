import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { version } from '../../../src/shared/process/version.ts';
import { type Stable, stableNow } from './stable-now.ts';

/** What there was when the tree was last recorded. */
const record = fileURLToPath(new URL('../../generated/stable.json', import.meta.url));
/** What each major version breaks of what versions before it have: `kind: line`. */
const breaksFile = fileURLToPath(new URL('../../generated/stable-breaks.json', import.meta.url));

const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
export const recorded = () => read(record) as Stable;
export const breaks = () => read(breaksFile) as Breaks;
type Breaks = Readonly<Record<string, readonly string[]>>;

/** What each released version had. */
export function released(): { readonly version: string; readonly had: Stable }[] {
  const folder = fileURLToPath(new URL('../../released/', import.meta.url));
  return globSync('*/stable.json', { cwd: folder }).map((path) => ({
    version: dirname(path),
    had: read(join(folder, path)),
  }));
}

/** What has changed: `-` is gone or has become something else, `+` is new. */
export const differences = (before: Stable, after: Stable): string[] => {
  const [gone, added] = [missing(before, after), missing(after, before)];
  return [...gone.map((line) => `- ${line}`), ...added.map((line) => `+ ${line}`)];
};

/** `kind: line` of what is in the one and not in the other. */
const missing = (one: Stable, other: Stable) =>
  Object.entries(one).flatMap(([kind, lines]) => {
    const there = new Set(other[kind]);
    return lines.filter((line) => !there.has(line)).map((line) => `${kind}: ${line}`);
  });

const majorOf = (version: string) => Number(version.split('.')[0]);

/**
 * What a released version had and is gone, or has become something else, or is newly required, without a major version
 * that breaks it.
 */
export function broken(now: Stable, versions = released(), allowed = breaks()): string[] {
  const all = versions.flatMap(({ version, had }) => {
    const excused = new Set(
      Object.entries(allowed).flatMap(([by, lines]) => (majorOf(by) > majorOf(version) ? lines : [])),
    );
    return [...missing(had, now), ...newlyRequired(had, now)].filter((line) => !excused.has(line));
  });
  return [...new Set(all)];
}

/** What requests to an operation must have now, and could not have before. */
function newlyRequired({ API: had = [] }: Stable, { API: has = [] }: Stable): string[] {
  /** An operation, and what it takes: a parameter, or a field of the body. */
  const input = /^((\w+) takes (?:(?:query|path|header) \S+|body \S+?\.[^ ?]+))(?= |$)/;
  const known = new Set(had.map((line) => input.exec(line)?.[1] ?? line));
  const operations = new Set(had.map((line) => line.replace(/\W.*/, '')));
  const required = has.flatMap((line) => {
    const [, path = '', operation = ''] = input.exec(line) ?? [];
    return path !== '' && !path.endsWith('?') && operations.has(operation) && !known.has(path) ? [path] : [];
  });
  return [...new Set(required)].map((path) => `API: ${path}, required`);
}

/** Why a version cannot break these lines; undefined if it can. */
export function cannotBreak(by: string, versions = released(), ours = version): string | undefined {
  if (!/^\d+\.0\.0$/.test(by)) return `--breaks takes a major version such as 2.0.0, not ${by}`;
  const newest = Math.max(...versions.map(({ version }) => majorOf(version)));
  if (majorOf(by) <= newest) return `${by} cannot break what versions that begin with ${newest} keep`;
  if (majorOf(ours) < majorOf(by)) return `this tree is ${ours}: make it ${by} in package.json first`;
  return undefined;
}

/** Prints what has changed, and records it. Refuses if it is what a released version has. */
async function main(): Promise<number> {
  const { values } = parseArgs({ options: { breaks: { type: 'string' } } });
  const now = await stableNow();
  process.stdout.write(`${differences(recorded(), now).join('\n') || 'nothing has changed'}\n`);
  const gone = broken(now);
  if (gone.length > 0 && values.breaks === undefined) {
    process.stderr.write(
      `nothing is recorded: a released version has\n  ${gone.join('\n  ')}\nPut it back as it was. Only a major version may break it: npm run stable -- --breaks ${majorOf(version) + 1}.0.0\n`,
    );
    return 1;
  }
  if (values.breaks !== undefined) {
    const refusal = cannotBreak(values.breaks);
    if (refusal !== undefined) {
      process.stderr.write(`${refusal}\n`);
      return 1;
    }
    const known = breaks();
    write(breaksFile, { ...known, [values.breaks]: [...(known[values.breaks] ?? []), ...gone].sort() });
  }
  write(record, now);
  return 0;
}

const write = (path: string, content: unknown) =>
  writeFileSync(path, `${JSON.stringify(content, undefined, 2)}\n`);

if (import.meta.main) process.exitCode = await main();
