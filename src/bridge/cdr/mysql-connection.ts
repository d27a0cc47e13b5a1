import { type Connection, createConnection } from 'mysql2/promise';
import { trustSystemAuthorities } from '../../shared/process/authorities.ts';
import { RecordsRefused } from './cdr-source.ts';

export type MysqlOptions = {
  readonly host: string;
  readonly port: number;
  /** Path of a Unix socket, instead of host and port. */
  readonly socket?: string | undefined;
  /**
   * TLS: the certificate must be for `host`, and signed by the authority `ca` (PEM) or, without it, by one that the
   * system trusts. Absent: not encrypted. With TLS, `host` must be a name, not an address.
   */
  readonly tls?: { readonly ca?: string | undefined } | undefined;
  readonly user: string;
  readonly password?: string | undefined;
  readonly database: string;
  readonly table: string;
};

type MysqlRow = Readonly<Record<string, unknown>>;

export type MysqlLink = ReturnType<typeof createMysqlLink>;

/**
 * A connection that is opened when needed, and again after an error.
 * @param deadlineMs timeout of a query, connecting and logging in included.
 */
export function createMysqlLink(options: MysqlOptions, deadlineMs = 10_000) {
  const { host, port, socket, tls, user, password, database } = options;
  if (tls) trustSystemAuthorities();
  let connection: Promise<Connection> | undefined;

  async function connect(): Promise<Connection> {
    const made = await createConnection({
      ...(socket === undefined ? { host, port } : { socketPath: socket }),
      user,
      ...(password !== undefined && { password }),
      ...(tls && { ssl: { verifyIdentity: true, ...(tls.ca !== undefined && { ca: tls.ca }) } }),
      database,
      connectTimeout: deadlineMs,
      dateStrings: true,
    });
    // The connection may end between two queries; the next query reconnects.
    made.on('error', drop);
    return made;
  }

  function drop(): void {
    const old = connection;
    connection = undefined;
    old?.then((it) => it.destroy()).catch(() => {});
  }

  async function ask(sql: string, values: readonly unknown[]): Promise<MysqlRow[]> {
    connection ??= connect();
    const [rows] = await (await connection).query(sql, [...values]);
    return rows as MysqlRow[];
  }

  return {
    /** Rejects with the error of the server or the system, after a timeout, or with RecordsRefused if TLS fails. */
    async query(sql: string, values: readonly unknown[] = []): Promise<MysqlRow[]> {
      const late = Promise.withResolvers<never>();
      const timer = setTimeout(
        () => late.reject(new Error(`no answer within ${deadlineMs / 1_000} s`)),
        deadlineMs,
      );
      try {
        return await Promise.race([ask(sql, values), late.promise]);
      } catch (error) {
        drop();
        throw explained(error as NodeJS.ErrnoException, password);
      } finally {
        clearTimeout(timer);
      }
    },
    async close() {
      drop();
    },
  };
}

/** Error codes of OpenSSL and mysql2 for a refused certificate and for a server without TLS. */
const tlsCodes = /^(HANDSHAKE_(NO_)?SSL|ERR_(TLS|SSL)_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|CERT_)/;

function explained(error: NodeJS.ErrnoException, password: string | undefined): Error {
  // A server, or an impostor, may repeat the password in its error message.
  if (password) error.message = error.message.replaceAll(password, '[secret]');
  if (!tlsCodes.test(error.code ?? '')) return error;
  // Node's message continues with a hint about its command line, which does not apply here.
  const [what] = error.message.split('; if the root CA');
  return new RecordsRefused(
    `TLS: ${what}`,
    'The certificate must be for the host in CDR_SOURCE, and of an authority that this machine trusts, or of the one in ?tls=FILE.',
  );
}
