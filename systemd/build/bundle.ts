import { cpSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Plugin } from 'esbuild';

export const project = fileURLToPath(new URL('../..', import.meta.url));

/** What is started as a thread: a file of the source, without its ending. */
const threads = [
  'bridge/outbox/worker/worker',
  'service/database/sqlite-reader',
  'service/database/sqlite-writer',
  'shared/storage/backup-worker',
];

/** Libraries of which the service gives a file to browsers: the one that `import.meta.resolve` finds. */
export const served = ['preact', 'htm'];

/** Libraries in CommonJS load Node's own modules with `require`, which a module does not have. */
const withRequire =
  "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);";

/**
 * Compiles the program with its libraries into `home`/lib: types are gone, and a start reads some files instead of
 * hundreds. What it reads at run time (schemas, samples, what browsers get) lies as it does in the source.
 */
export async function bundle(home: string): Promise<void> {
  const lib = join(home, 'lib');
  const libraries = [
    ...(await compile(lib, { entryPoints: ['src/cli.ts'], outdir: lib, splitting: true })),
    // Each is one file of its own: a thread loads no more than it needs.
    ...(await Promise.all(threads.map((name) => compileThread(lib, name)))).flat(),
    ...served.map((name) => `node_modules/${name}`),
  ];
  for (const file of globSync('**/*.{sql,js,css,svg,webmanifest}', { cwd: join(project, 'src') }))
    cpSync(join(project, 'src', file), join(lib, file));
  cpSync(join(project, 'config'), join(home, 'config'), { recursive: true });
  for (const name of served) {
    const file = relative(project, fileURLToPath(import.meta.resolve(name)));
    for (const path of [file, `node_modules/${name}/package.json`])
      cpSync(join(project, path), join(home, path));
  }
  writeFileSync(join(home, 'licences.txt'), licences(libraries));
}

const compileThread = (lib: string, name: string) =>
  compile(lib, { entryPoints: [`src/${name}.ts`], outfile: join(lib, `${name}.js`) });

/** Gives the folders of the libraries that went in. */
async function compile(lib: string, options: BuildOptions): Promise<string[]> {
  const { metafile } = await build({
    ...options,
    absWorkingDir: project,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node26',
    external: ['pg-native'],
    banner: { js: withRequire },
    plugins: [placesOf(lib, options.outdir ?? dirname(options.outfile ?? ''))],
    // The sources stay in memory: without what only readers need, names apart, so that a stack can be read.
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: 160,
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  });
  return Object.keys(metafile.inputs).flatMap(
    (path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [],
  );
}

/** What a file finds beside itself (`import.meta.url`), it goes on finding from the file that it becomes a part of. */
function placesOf(lib: string, folder: string): Plugin {
  const script = new RegExp(
    `'([./\\w-]*/(?:${threads.map((name) => name.replace(/.*\//, '')).join('|')}))\\.ts'`,
    'g',
  );
  return {
    name: 'places',
    setup({ onLoad }) {
      onLoad({ filter: /\/src\/.*\.ts$/ }, async ({ path }) => {
        const place = relative(folder, join(lib, relative(join(project, 'src'), path)));
        const text = (await readFile(path, 'utf8'))
          .replaceAll(script, "'$1.js'")
          // Only as a namespace can what is not used of it be left out: 450 kB, most of it messages in other languages.
          .replace("import { z } from 'zod'", "import * as z from 'zod'");
        if (/import\.meta\.(dirname|filename)/.test(text))
          throw new Error(`${path} names import.meta.dirname or filename, which move: use import.meta.url`);
        const [, unknown] = /(?<!from |import |import\()'(\.[./\w-]+\.ts)'/.exec(text) ?? [];
        if (unknown !== undefined)
          throw new Error(`${path} names ${unknown}: if it is a thread, list it in systemd/build/bundle.ts`);
        const contents = text.replaceAll('import.meta.url', `new URL('${place}', import.meta.url).href`);
        return { contents, loader: 'ts' };
      });
    },
  };
}

/** The licences of these libraries, one after the other. */
function licences(libraries: readonly string[]): string {
  const texts = [...new Set(libraries)].sort().map((path) => {
    const folder = join(project, path);
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const [file] = globSync('{LICENSE,LICENCE,License,license,COPYING}*', { cwd: folder });
    const text =
      file === undefined ? `Its package.json says: ${license}` : readFileSync(join(folder, file), 'utf8');
    return `${name} ${version} (${license})\n\n${text.trim()}\n`;
  });
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}
