import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The imports of one file: other files of ours (paths from the root), and libraries by name. */
export type Imports = { readonly files: readonly string[]; readonly libraries: readonly string[] };

const importLine =
  /(?:^|\n)\s*(?:import|export)\s(?:[^'";]*?\sfrom\s)?['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)|new URL\(\s*['"](\.[^'"]+\.ts)['"]/g;

/**
 * What each file of `folder` imports, tests too. A worker's file counts as imported by the file that names its URL.
 * `asRun`: makes of a source what Node runs, which loads less: imports of types are gone.
 */
export function readImportGraph(asRun = (source: string) => source, folder = 'src'): Map<string, Imports> {
  const paths = globSync(`${folder}/**/*.ts`, { cwd: root });
  return new Map(paths.map((path) => [path, importsOf(path, asRun(readFileSync(join(root, path), 'utf8')))]));
}

export function importsOf(path: string, source: string): Imports {
  const names = [...source.matchAll(importLine)].map((match) => (match[1] ?? match[2] ?? match[3]) as string);
  const files = names
    .filter((name) => name.startsWith('.'))
    .map((name) => relative('.', normalize(join(dirname(path), name))));
  return { files, libraries: names.filter((name) => !name.startsWith('.')) };
}

/** The shortest chain of imports from `start` to a file that `isForbidden` names; undefined if there is none. */
export function findChain(
  graph: ReadonlyMap<string, Imports>,
  start: string,
  isForbidden: (path: string) => boolean,
): string[] | undefined {
  const chains: string[][] = [[start]];
  const seen = new Set([start]);
  for (const chain of chains) {
    for (const next of graph.get(chain.at(-1) as string)?.files ?? []) {
      if (isForbidden(next)) return [...chain, next];
      if (seen.has(next)) continue;
      seen.add(next);
      chains.push([...chain, next]);
    }
  }
  return undefined;
}
