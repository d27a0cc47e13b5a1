import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';

/**
 * Files that pages load: the stylesheet, pictures, two libraries from npm, and modules, each at the address of its source,
 * so that what one imports is found. In a checkout they are TypeScript, served without its types.
 */
const service = fileURLToPath(new URL('../', import.meta.url));
/** The files of style.css, in the order of the cascade. */
const styles = ['base', 'parts', 'now', 'pages', 'print'];
const libraries = ['preact', 'htm'];
/** `.ts` here, `.js` once compiled. */
const ending = extname(import.meta.url);

/** What a page loads, of client/entries/: of modules, only these do something when they are loaded. */
export type Script =
  | 'page'
  | 'live'
  | 'api-log'
  | 'chart'
  | 'copy'
  | 'import'
  | 'notifications'
  | 'sign-in'
  | 'stream-worker'
  | 'welcome';

const types: Record<string, string> = {
  svg: 'image/svg+xml',
  css: 'text/css',
  ts: 'text/javascript',
  js: 'text/javascript',
  mjs: 'text/javascript',
  webmanifest: 'application/manifest+json',
};

type Asset = { readonly type: string; readonly body: Buffer; readonly zipped: Buffer };

const assets = new Map<string, Asset>();
const read = (file: string) => readFileSync(`${service}${file}`, 'utf8');
const found = (...patterns: string[]) => globSync(patterns, { cwd: service }).sort();
add('style.css', withoutComments(styles.map((name) => read(`client/style/${name}.css`)).join('\n')));
for (const file of found('client/*.{svg,webmanifest}')) add(file.replace('client/', ''), read(file));
for (const file of found(`{client,rules}/**/*${ending}`).filter((name) => !name.endsWith('.test.ts')))
  add(file, withoutComments(ending === '.ts' ? stripTypeScriptTypes(read(file)) : read(file)));
for (const name of libraries)
  add(
    `client/libraries/${name}.mjs`,
    readFileSync(new URL(import.meta.resolve(name)), 'utf8').replace(/\n\/\/# sourceMappingURL=.*/, ''),
  );

/** A hash of all files, part of their addresses, so that browsers can cache them for ever. */
const version = createHash('sha256')
  .update(Buffer.concat([...assets.values()].map(({ body }) => body)))
  .digest('hex')
  .slice(0, 12);

export const assetUrl = (file: string): string => `/assets/${version}/${file}`;

export const scriptUrl = (script: Script): string => assetUrl(`client/entries/${script}${ending}`);

/** At the top: a service worker is in charge of the folder that it is served from. Browsers ask for it again by themselves. */
const PUSH_WORKER = '/push-worker.js';

export function assetRoutes(app: FastifyInstance): void {
  const worker = assets.get(`client/entries/push-worker${ending}`)?.body.toString() ?? '';
  // The compiler makes a module of a file without imports.
  const script = worker.replace(/^export \{\};$/m, '');
  app.get(PUSH_WORKER, (_, reply) => reply.type('text/javascript; charset=utf-8').send(script));
  for (const [file, { type, body, zipped }] of assets)
    app.get(assetUrl(file), (request, reply) => {
      const zip = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
      reply
        .type(`${type}; charset=utf-8`)
        .header('cache-control', 'public, max-age=31536000, immutable')
        .header('vary', 'accept-encoding');
      return (zip ? reply.header('content-encoding', 'gzip') : reply).send(zip ? zipped : body);
    });
}

/** Comments on lines of their own are a fifth of what a browser would load. */
function withoutComments(text: string): string {
  return text.replace(/^ *(?:\/\/.*|\/\*(?:(?!\*\/)[\s\S])*\*\/) *\n/gm, '');
}

function add(file: string, text: string): void {
  const body = Buffer.from(text);
  assets.set(file, { type: types[extname(file).slice(1)] ?? '', body, zipped: gzipSync(body) });
}
