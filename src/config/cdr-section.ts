import { isIP } from 'node:net';
import { z } from 'zod';
import { section } from './section.ts';
import { file, secret } from './variable.ts';

type Source =
  | { readonly kind: 'csv' | 'sqlite'; readonly path: string }
  | {
      readonly kind: 'mysql';
      readonly host: string;
      readonly port: number;
      readonly socket: string | undefined;
      /** By the authority `ca` (PEM), or by those that are trusted anyway. */
      readonly tls: { readonly ca: string | undefined } | undefined;
      readonly user: string;
      readonly database: string;
      readonly table: string;
    };

const takes =
  'csv: or sqlite: and the path of the file, or mysql://USER@HOST/DATABASE (the password goes into CDR_PASSWORD; ?tls=yes or ?tls=CA.pem needs a HOST that is a name)';

const mysqlParameters = z.strictObject({
  table: z.string().min(1).default('cdr'),
  socket: z.string().min(1).optional(),
  tls: z
    .union([z.literal('yes').transform(() => undefined), file('a PEM file', /-----BEGIN CERTIFICATE-----/)])
    .transform((ca) => ({ ca }))
    .optional(),
});

export const cdrSection = section({
  title: 'Calls that begin and end while the bridge is not connected',
  shape: {
    CDR_SOURCE: z
      .string()
      .transform((text, context): Source => {
        const source = sourceOf(text);
        if (source !== undefined) return source;
        context.addIssue({ code: 'custom' });
        return z.NEVER;
      })
      .meta({ takes, example: 'csv:/var/log/asterisk/cdr-csv/Master.csv' })
      .optional()
      .describe(
        "Asterisk's own call records: calls that nobody heard are told from them. csv: is cdr_csv's file (with loguniqueid=yes), sqlite:/var/log/asterisk/master.db that of cdr_sqlite3_custom, mysql://pbx-bridge@127.0.0.1/asteriskcdrdb the database of FreePBX (?table= if it is not cdr, ?socket= and a path for a Unix socket, ?tls=yes to encrypt, or ?tls= and the path of the authority's PEM file).",
      ),
    CDR_PASSWORD: secret("the database user's password")
      .optional()
      .describe(
        'Of the user in CDR_SOURCE=mysql://..., who needs SELECT on that one table and nothing else.',
      ),
  },
  conflicts: ({ CDR_SOURCE, CDR_PASSWORD }) =>
    CDR_PASSWORD !== undefined && CDR_SOURCE !== undefined && CDR_SOURCE.kind !== 'mysql'
      ? [`CDR_PASSWORD: is set, but CDR_SOURCE is ${CDR_SOURCE.kind}:, which takes none; remove it`]
      : [],
  build: ({ CDR_SOURCE, CDR_PASSWORD }) =>
    CDR_SOURCE?.kind === 'mysql' ? { ...CDR_SOURCE, password: CDR_PASSWORD } : CDR_SOURCE,
});

function sourceOf(text: string): Source | undefined {
  const [, kind, path] = /^(csv|sqlite):([^\r\n\0]+)$/.exec(text) ?? [];
  if (kind !== undefined && path !== undefined) return { kind: kind as 'csv' | 'sqlite', path };
  const url = URL.parse(text);
  const database = url?.pathname.slice(1) ?? '';
  if (url?.protocol !== 'mysql:' || url.username === '' || url.password !== '') return undefined;
  if (!/^[^/]+$/.test(database) || url.hostname === '') return undefined;
  const parameters = parametersOf(url.searchParams);
  if (parameters === undefined) return undefined;
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  // A certificate is for a name, and a socket leaves no machine.
  if (parameters.tls !== undefined && (isIP(host) !== 0 || parameters.socket !== undefined)) return undefined;
  return {
    ...{ kind: 'mysql', host, port: Number(url.port || 3_306) },
    user: decodeURIComponent(url.username),
    database: decodeURIComponent(database),
    ...parameters,
  };
}

/** What stands after the question mark. A tls= that is misspelt, or there twice, must not go for none. */
function parametersOf(all: URLSearchParams) {
  const { data } = mysqlParameters.safeParse(Object.fromEntries(all));
  return data && all.size === new Set(all.keys()).size
    ? { table: data.table, socket: data.socket, tls: data.tls }
    : undefined;
}
