import { z } from 'zod';
import { isCountry } from '../../shared/phone-number/normalise-number.ts';
import { isAddressOrNetwork } from '../../shared/process/allow-list.ts';
import { duration, line, list, listen, secret, section, setAlone, wholeNumber } from './variable.ts';

/** `127.0.0.1:8080`, `[::]:8080`, `localhost:0` */
const address = /^(\[[0-9a-fA-F:.]+\]|[^\s:[\]]+):(\d{1,5})$/;

/** Only the format is checked here; the service connects when it starts. */
const postgresUrl = /^postgres(ql)?:\/\/[^\s/?]+\/[^\s/?]+(\?\S*)?$/;

/** True for `https://calls.example.com:8443`, with or without a slash behind it. */
function isWebOrigin(text: string): boolean {
  const url = URL.parse(text);
  return /^https?:$/.test(url?.protocol ?? '') && url?.href === `${url?.origin}/`;
}

const count = () =>
  z
    .string()
    .regex(/^[1-9]\d{0,8}$/)
    .transform(Number)
    .meta({ takes: 'a whole number from 1 to 999999999' });

export const serviceSection = section({
  title: 'The API service (pbx-bridge service)',
  shape: {
    SERVICE_LISTEN: z
      .string()
      .refine((text) => Number(address.exec(text)?.[2] ?? 65_536) < 65_536)
      .meta({
        takes: 'an address and a port, such as 127.0.0.1:8080 or [::]:8080; port 0 for any free port',
      })
      .prefault('127.0.0.1:8080')
      .describe(
        'Address of the service. To serve other machines, use a reverse proxy with https, or SERVICE_TLS_CERT.',
      ),
    SERVICE_TLS_CERT: line('the path of a PEM file')
      .optional()
      .describe(
        'Certificate with which the service answers https, and no plain http, followed by those between it and its authority (fullchain.pem of certbot). When the file changes, the new one is used within a minute.',
      ),
    SERVICE_TLS_KEY: line('the path of a PEM file')
      .optional()
      .describe('Private key of SERVICE_TLS_CERT, without a passphrase.'),
    SERVICE_METRICS_LISTEN: listen()
      .prefault('off')
      .describe(
        'Address of /metrics for Prometheus, such as 127.0.0.1:9439. It shows no phone numbers, calls and names.',
      ),
    SERVICE_STATE_DIR: line('the path of a directory')
      .prefault('./state/service')
      .describe('Directory of the SQLite database and the server secret, from which all tokens are derived.'),
    DATABASE_URL: secret(
      'postgres://user:password@host:port/database (several hosts: comma-separated; TLS: ?sslmode=verify-full)',
      postgresUrl,
    )
      .optional()
      .describe(
        'PostgreSQL database, for several processes or machines, which all need the same file service-secret. Without it, data is stored in one SQLite file.',
      ),
    DATABASE_LISTEN_URL: secret('a URL like DATABASE_URL', postgresUrl)
      .optional()
      .describe(
        'The same database without a pooler such as PgBouncer, for the LISTEN connection. Default: DATABASE_URL.',
      ),
    SERVICE_COUNTRY: z
      .string()
      .refine(isCountry)
      .meta({ takes: 'a country as two capital letters (ISO 3166), such as NL', example: 'NL' })
      .optional()
      .describe('Country of the account created at the first start, for numbers without + or 00.'),
    SERVICE_HISTORY_MAX_AGE: duration('1h', '3650d')
      .optional()
      .describe(
        'Request history older than this is deleted (on PostgreSQL by days, beyond 100d by months). Without it, none is deleted.',
      ),
    SERVICE_HISTORY_MAX_ENTRIES: count()
      .optional()
      .describe(
        'Number of request history entries kept per account; older ones are deleted. Without it, none is deleted.',
      ),
    SERVICE_CALLS_MAX_AGE: duration('1d', '3650d')
      .optional()
      .describe(
        'Calls that began longer ago are deleted; reports then show fewer calls. Without it, none is deleted. An account can have its callers’ numbers deleted earlier, and keep the calls for reports.',
      ),
    SERVICE_AUDIT_MAX_AGE: duration('1d', '3650d')
      .prefault('365d')
      .describe('Audit log entries (who did what) older than this are deleted.'),
    SERVICE_WEBHOOK_NETWORKS: list(
      'a comma-separated list of addresses or networks, such as 10.1.2.3,192.168.0.0/16',
      isAddressOrNetwork,
    )
      .prefault('')
      .describe(
        'Addresses that webhooks and push messages may be sent to besides those of the Internet. Any account’s administrator, and by push messages any user, can then have requests sent there.',
      ),
    SERVICE_WEBHOOK_MAX_AGE: duration('7d', '3650d')
      .prefault('30d')
      .describe('Deliveries to webhooks of events older than this are deleted from their page.'),
    SERVICE_BACKUP_DIR: line('the path of a directory')
      .optional()
      .describe(
        'Directory for daily backups of this service alone, best on another disk. Not with DATABASE_URL: use pg_dump. Without it, none are made.',
      ),
    SERVICE_BACKUP_KEEP: wholeNumber(1, 1000)
      .prefault('7')
      .describe('Number of daily backups kept; older ones are deleted.'),
    SERVICE_RATE_LIMIT: count()
      .optional()
      .describe(
        'Maximum number of requests per minute of one integration to one process. Without it, there is no limit.',
      ),
    SERVICE_TRUSTED_PROXIES: list(
      'a comma-separated list of addresses or networks, such as 127.0.0.1,10.0.0.0/8',
      (item) => isAddressOrNetwork(item) && !/\/0+$/.test(item), // a network of all addresses would trust every client
    )
      .prefault('')
      .describe('Proxies whose X-Forwarded-For, X-Forwarded-Proto and X-Forwarded-Host headers are trusted.'),
    SERVICE_URL: z
      .string()
      .refine(isWebOrigin)
      .transform((text) => new URL(text).origin)
      .meta({
        takes: 'an address without a path, such as https://calls.example.com',
        example: 'https://calls.example.com',
      })
      .optional()
      .describe(
        'Address under which people reach the service, for the links in mails, invitations and instructions. Its name need not be in SERVICE_HOSTS. Without it, they use https and the first of SERVICE_HOSTS. Without both, mails and invitations use the address that the service listens on, and instructions the address in the browser.',
      ),
    SERVICE_HOSTS: list(
      'a comma-separated list of host names without ports, such as calls.example.com',
      (item) => /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/i.test(item),
    )
      .prefault('')
      .describe(
        'Names under which browsers reach the service, such as that of the reverse proxy. Pages are refused under any other name but IP addresses, localhost and the machine’s own name.',
      ),
  },
  conflicts: ({ SERVICE_BACKUP_DIR, DATABASE_URL, SERVICE_TLS_CERT, SERVICE_TLS_KEY }) => [
    ...(SERVICE_BACKUP_DIR !== undefined && DATABASE_URL !== undefined
      ? ['SERVICE_BACKUP_DIR: is set, and DATABASE_URL too; back PostgreSQL up with pg_dump']
      : []),
    ...setAlone('SERVICE_TLS', SERVICE_TLS_CERT, SERVICE_TLS_KEY),
  ],
  build: (values) => {
    const publicUrl = values.SERVICE_URL;
    const [, host = '', port] = address.exec(values.SERVICE_LISTEN) ?? [];
    return {
      listen: { host: host.replace(/^\[|\]$/g, ''), port: Number(port) },
      tls:
        values.SERVICE_TLS_CERT !== undefined && values.SERVICE_TLS_KEY !== undefined
          ? { certificate: values.SERVICE_TLS_CERT, key: values.SERVICE_TLS_KEY }
          : undefined,
      metrics: values.SERVICE_METRICS_LISTEN,
      stateDir: values.SERVICE_STATE_DIR,
      database:
        values.DATABASE_URL === undefined
          ? null
          : {
              url: values.DATABASE_URL,
              listenUrl: values.DATABASE_LISTEN_URL,
            },
      country: values.SERVICE_COUNTRY ?? null,
      retention: {
        maxAgeMs: values.SERVICE_HISTORY_MAX_AGE,
        maxEntries: values.SERVICE_HISTORY_MAX_ENTRIES,
        callsMaxAgeMs: values.SERVICE_CALLS_MAX_AGE,
        auditMaxAgeMs: values.SERVICE_AUDIT_MAX_AGE,
        webhooksMaxAgeMs: values.SERVICE_WEBHOOK_MAX_AGE,
      },
      webhookNetworks: values.SERVICE_WEBHOOK_NETWORKS,
      backups:
        values.SERVICE_BACKUP_DIR === undefined
          ? undefined
          : {
              directory: values.SERVICE_BACKUP_DIR,
              keep: values.SERVICE_BACKUP_KEEP,
            },
      requestsPerMinute: values.SERVICE_RATE_LIMIT ?? null,
      trustedProxies: values.SERVICE_TRUSTED_PROXIES,
      publicUrl,
      hosts: [...(publicUrl === undefined ? [] : [new URL(publicUrl).hostname]), ...values.SERVICE_HOSTS],
    };
  },
});
