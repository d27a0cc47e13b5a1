import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';

/** Files that pages load: the stylesheet, the modules of client/, and two libraries from npm. */
const own = new URL('../client/', import.meta.url);
/** The files of style.css, in the order of the cascade. */
const styles = ['base', 'parts', 'now', 'pages', 'print'];
const libraries = { preact: 'preact.mjs', htm: 'htm.mjs' } as const;

const types: Record<string, string> = {
  svg: 'image/svg+xml',
  css: 'text/css',
  js: 'text/javascript',
  mjs: 'text/javascript',
  webmanifest: 'application/manifest+json',
};

type Asset = { readonly type: string; readonly body: Buffer; readonly zipped: Buffer };

const assets = new Map<string, Asset>();
const read = (file: string) => readFileSync(new URL(file, own), 'utf8');
add('style.css', styles.map((name) => read(`style/${name}.css`)).join('\n'));
for (const file of readdirSync(own)
  .filter((name) => /\.(js|svg|webmanifest)$/.test(name))
  .sort())
  add(file, withLibraries(read(file)));
for (const [name, file] of Object.entries(libraries))
  add(
    file,
    readFileSync(new URL(import.meta.resolve(name)), 'utf8').replace(/\n\/\/# sourceMappingURL=.*/, ''),
  );

/** A hash of all files, part of their addresses, so that browsers can cache them for ever. */
const version = createHash('sha256')
  .update(Buffer.concat([...assets.values()].map(({ body }) => body)))
  .digest('hex')
  .slice(0, 12);

export const assetUrl = (file: string) => `/assets/${version}/${file}`;

export function assetRoutes(app: FastifyInstance): void {
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

function add(file: string, text: string): void {
  const body = Buffer.from(text);
  assets.set(file, { type: types[file.split('.').at(-1) ?? ''] ?? '', body, zipped: gzipSync(body) });
}

/** Browsers cannot resolve package names, and an import map would be an inline script. */
function withLibraries(source: string): string {
  return source.replace(
    /from '(preact|htm)'/g,
    (_, name: keyof typeof libraries) => `from './${libraries[name]}'`,
  );
}
