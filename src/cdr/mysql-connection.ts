import { type Connection, createConnection } from 'mysql2/promise';
import { RecordsRefused } from './cdr-source.ts';

export type MysqlOptions = {
  readonly host: string;
  readonly port: number;
  /** The path of a Unix socket, in place of host and port. */
  readonly socket?: string | undefined;
  /**
   * TLS, for the name `host` and by the authority `ca` (PEM; without it, those that are trusted anyway); absent: not
   * encrypted. A host that is an address has no name to be met.
   */
  readonly tls?: { readonly ca?: string | undefined } | undefined;
  readonly user: string;
  readonly password?: string | undefined;
  readonly database: string;
  readonly table: string;
};

export type MysqlRow = Readonly<Record<string, unknown>>;

/** A connection that is made when it is needed, and again after any trouble. */
export type MysqlLink = {
  /**
   * Rejects with what the server or the system says, or when it has said nothing for too long; with RecordsRefused where
   * TLS comes to nothing.
   */
  query(sql: string, values?: readonly unknown[]): Promise<MysqlRow[]>;
  close(): Promise<void>;
};

/** `deadlineMs`: so long a server is waited for that hangs, also in the middle of a login. */
export function createMysqlLink(options: MysqlOptions, deadlineMs = 10_000): MysqlLink {
  const { host, port, socket, tls, user, password, database } = options;
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
      supportBigNumbers: true,
    });
    // Cut while nobody asks: the next question connects anew.
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
    async query(sql, values = []) {
      const late = Promise.withResolvers<never>();
      const timer = setTimeout(
        () => late.reject(new Error(`no answer within ${deadlineMs / 1_000} s`)),
        deadlineMs,
      );
      try {
        return await Promise.race([ask(sql, values), late.promise]);
      } catch (error) {
        drop();
        throw explained(error, password);
      } finally {
        clearTimeout(timer);
      }
    },
    async close() {
      drop();
    },
  };
}

/** What OpenSSL and mysql2 call a certificate that will not do, and a server without TLS. */
const tlsCodes = /^(HANDSHAKE_(NO_)?SSL|ERR_(TLS|SSL)_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|CERT_)/;

function explained(error: unknown, password: string | undefined): unknown {
  if (!(error instanceof Error)) return error;
  // A server, or what stands in its place, may give back what it was told.
  if (password) error.message = error.message.replaceAll(password, '[secret]');
  const { code = '' } = error as NodeJS.ErrnoException;
  if (!tlsCodes.test(code)) return error;
  // Node goes on with what to start it with, which is none of the reader's business.
  const [what] = error.message.split('; if the root CA');
  return new RecordsRefused(
    `TLS: ${what}`,
    'The certificate must be for the host in CDR_SOURCE, and of an authority that this machine trusts, or of the one in ?tls=FILE.',
  );
}
