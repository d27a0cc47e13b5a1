import { isIP } from 'node:net';
import { z } from 'zod';
import { file, secret, section } from './variable.ts';

type Source =
  | { readonly kind: 'csv' | 'sqlite'; readonly path: string }
  | {
      readonly kind: 'mysql';
      readonly host: string;
      readonly port: number;
      readonly socket: string | undefined;
      /** `ca`: certificate authority (PEM); undefined: those that the system trusts. */
      readonly tls: { readonly ca: string | undefined } | undefined;
      readonly user: string;
      readonly database: string;
      readonly table: string;
    };

const takes =
  'csv:PATH, sqlite:PATH, or mysql://USER@HOST/DATABASE (with the password in CDR_PASSWORD; ?tls=yes and ?tls=CA.pem need a host name as HOST)';

const mysqlParameters = z.strictObject({
  table: z.string().min(1).default('cdr'),
  socket: z.string().min(1).optional(),
  tls: z
    .union([z.literal('yes').transform(() => undefined), file('a PEM file', /-----BEGIN CERTIFICATE-----/)])
    .transform((ca) => ({ ca }))
    .optional(),
});

export const cdrSection = section({
  title: 'Filling gaps from call records (CDR): calls that begin and end while the bridge is not connected',
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
        "Asterisk's call records, from which calls of times without a connection are reported. csv:PATH is the file of cdr_csv (with loguniqueid=yes), sqlite:/var/log/asterisk/master.db that of cdr_sqlite3_custom, mysql://pbx-bridge@127.0.0.1/asteriskcdrdb the database of FreePBX. Parameters for mysql: ?table= (default: cdr), ?socket=PATH for a Unix socket, ?tls=yes for TLS, ?tls=PATH for TLS with the authority in that PEM file.",
      ),
    CDR_PASSWORD: secret("the database user's password")
      .optional()
      .describe('Password of the user in CDR_SOURCE=mysql://.... The user needs only SELECT on the table.'),
  },
  conflicts: ({ CDR_SOURCE, CDR_PASSWORD }) =>
    CDR_PASSWORD !== undefined && CDR_SOURCE !== undefined && CDR_SOURCE.kind !== 'mysql'
      ? [`CDR_PASSWORD: is set, but CDR_SOURCE is ${CDR_SOURCE.kind}:, which has no password; remove it`]
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
  // A certificate is issued for a host name, and a Unix socket needs no TLS.
  if (parameters.tls !== undefined && (isIP(host) !== 0 || parameters.socket !== undefined)) return undefined;
  return {
    kind: 'mysql',
    host,
    port: Number(url.port || 3_306),
    user: decodeURIComponent(url.username),
    database: decodeURIComponent(database),
    ...parameters,
  };
}

/** Parses the query. Unknown and repeated parameters are refused: a misspelt tls= must not turn TLS off. */
function parametersOf(all: URLSearchParams) {
  const { data } = mysqlParameters.safeParse(Object.fromEntries(all));
  return data && all.size === new Set(all.keys()).size
    ? { table: data.table, socket: data.socket, tls: data.tls }
    : undefined;
}
