import { z } from 'zod';
import { isAddressOrNetwork } from '../agi/allow-list.ts';
import { isCountry } from '../phone-number/normalise-number.ts';
import { section } from './section.ts';
import { duration, line, list, secret, wholeNumber } from './variable.ts';

/** `127.0.0.1:8080`, `[::]:8080`, `localhost:0` */
const address = /^(\[[0-9a-fA-F:.]+\]|[^\s:[\]]+):(\d{1,5})$/;

/** Which server it is, and whether it lets us in, is tried at the start. */
const postgresUrl = /^postgres(ql)?:\/\/[^\s/?]+\/[^\s/?]+(\?\S*)?$/;

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
        takes: 'an address and a port, such as 127.0.0.1:8080 or [::]:8080; port 0 for any that is free',
      })
      .prefault('127.0.0.1:8080')
      .describe('Where it listens. Beyond this machine only behind a proxy that does https.'),
    SERVICE_STATE_DIR: line('the path of a folder')
      .prefault('./state/service')
      .describe(
        'Where its SQLite file and the server secret are kept; the secret is all that its tokens hang on.',
      ),
    DATABASE_URL: secret(
      'postgres://user:password@host:port/database (several hosts with commas between them; ?sslmode=verify-full for TLS)',
      postgresUrl,
    )
      .optional()
      .describe(
        'A PostgreSQL database, for several processes or machines; without it, the data is in one SQLite file. The file service-secret must be the same on all of them.',
      ),
    DATABASE_LISTEN_URL: secret('as DATABASE_URL', postgresUrl)
      .optional()
      .describe(
        'The same database past a pooler such as PgBouncer, for one connection that listens; without it, DATABASE_URL.',
      ),
    DATABASE_CONNECTIONS: wholeNumber(2, 100)
      .prefault('8')
      .describe(
        'Connections to the database that this process opens at most, the one that listens not counted.',
      ),
    SERVICE_COUNTRY: z
      .string()
      .refine(isCountry)
      .meta({ takes: 'a country as two capital letters (ISO 3166), such as NL', example: 'NL' })
      .optional()
      .describe(
        'The country of the account that the first start makes: how numbers without + or 00 are read.',
      ),
    SERVICE_HISTORY_MAX_AGE: duration('1h', '3650d')
      .optional()
      .describe(
        'Request history older than this is deleted (on PostgreSQL by whole days, beyond 100d by whole months); without it, none is.',
      ),
    SERVICE_HISTORY_MAX_ENTRIES: count()
      .optional()
      .describe('Request history beyond so many entries of an account is deleted; without it, none is.'),
    SERVICE_RATE_LIMIT: count()
      .optional()
      .describe(
        'Requests per minute that one integration may make of one process; without it, there is no limit.',
      ),
    SERVICE_TRUSTED_PROXIES: list(
      'addresses or networks with commas between them, such as 127.0.0.1,10.0.0.0/8',
      (item) => isAddressOrNetwork(item) && !/\/0+$/.test(item), // to trust everybody is no proxy's network
    )
      .prefault('')
      .describe('Proxies whose X-Forwarded-For, X-Forwarded-Proto and X-Forwarded-Host are believed.'),
    SERVICE_REQUEST_TIMEOUT: duration('1s', '10m')
      .prefault('30s')
      .describe('How long a request may take to arrive.'),
  },
  build: (values) => {
    const [, host = '', port] = address.exec(values.SERVICE_LISTEN) ?? [];
    return {
      listen: { host: host.replace(/^\[|\]$/g, ''), port: Number(port) },
      stateDir: values.SERVICE_STATE_DIR,
      database:
        values.DATABASE_URL === undefined
          ? null
          : {
              url: values.DATABASE_URL,
              listenUrl: values.DATABASE_LISTEN_URL,
              connections: values.DATABASE_CONNECTIONS,
            },
      country: values.SERVICE_COUNTRY ?? null,
      retention: {
        maxAgeMs: values.SERVICE_HISTORY_MAX_AGE,
        maxEntries: values.SERVICE_HISTORY_MAX_ENTRIES,
      },
      requestsPerMinute: values.SERVICE_RATE_LIMIT ?? null,
      trustedProxies: values.SERVICE_TRUSTED_PROXIES,
      requestTimeoutMs: values.SERVICE_REQUEST_TIMEOUT,
    };
  },
});
