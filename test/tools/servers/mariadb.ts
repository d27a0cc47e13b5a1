import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Connection, createConnection } from 'mysql2/promise';
import type { Certificate } from '../certificate.ts';
import { cannotInstall, installPackages } from '../debian.ts';
import { freePort } from '../free-port.ts';
import { atExit } from '../lab/at-exit.ts';
import { until } from '../until.ts';

const programs = {
  '/usr/sbin/mariadbd': 'mariadb-server-core',
  '/usr/bin/my_print_defaults': 'mariadb-client-core',
} as const;

/** A real MariaDB in a folder of its own, on a socket there and on a port of 127.0.0.1. */
export type Mariadb = {
  readonly port: number;
  readonly socket: string;
  /** As its administrator. */
  readonly admin: Connection;
  /** Takes it away at once (SIGKILL). */
  kill(): Promise<void>;
  /** Starts it again after `kill`, with the same folder and port; gives the new `admin`. */
  restart(): Promise<Connection>;
  stop(): Promise<void>;
};

/** Why there can be no MariaDB on this machine, in one line; undefined if there can. */
export function mariadbImpossible(): string | undefined {
  return Object.keys(programs).every((file) => existsSync(file)) ? undefined : cannotInstall();
}

/** It speaks TLS if it has a certificate; `FLUSH SSL` has it read the files again. */
export async function startMariadb({ tls }: { readonly tls?: Certificate } = {}): Promise<Mariadb> {
  await installPackages(programs);
  const folder = await mkdtemp(join(tmpdir(), 'mariadb-'));
  const data = join(folder, 'data');
  const socket = join(folder, 'socket');
  const small = ['--innodb-buffer-pool-size=16M', '--innodb-log-file-size=4M'];
  // As root it refuses to run unless an option says so.
  const asRoot = process.getuid?.() === 0 ? ['--user=root'] : [];
  const common = ['--no-defaults', `--datadir=${data}`, ...asRoot];
  await promisify(execFile)('mariadb-install-db', [
    ...common,
    ...small,
    '--auth-root-authentication-method=normal',
    '--skip-test-db',
  ]);
  const port = await freePort();
  let child: ChildProcess | undefined;
  let admin: Connection | undefined;

  async function boot(): Promise<Connection> {
    const where = [`--socket=${socket}`, `--port=${port}`, '--bind-address=127.0.0.1'];
    // What a test writes need not outlive a power cut.
    const quick = ['--performance-schema=off', '--innodb-flush-log-at-trx-commit=2', '--skip-log-bin'];
    const secure = tls ? [`--ssl-cert=${tls.cert}`, `--ssl-key=${tls.key}`] : [];
    const options = [...common, ...small, ...where, ...quick, ...secure];
    const server = spawn('/usr/sbin/mariadbd', options, { stdio: 'ignore' });
    child = server;
    return until('MariaDB takes connections', () => {
      if (server.exitCode !== null) throw new Error(`mariadbd ended with ${server.exitCode}`);
      return createConnection({ socketPath: socket, user: 'root', multipleStatements: true }).catch(
        () => undefined,
      );
    });
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    admin?.destroy();
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
  }

  const forget = atExit(() => {
    child?.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  const start = async () => {
    admin = await boot();
    // It is cut with the server.
    admin.on('error', () => {});
    return admin;
  };
  return {
    port,
    socket,
    admin: await start(),
    kill: () => end('SIGKILL'),
    restart: start,
    async stop() {
      await end('SIGKILL');
      forget();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** FreePBX 17's own table. Source: FreePBX/cdr, module.xml. */
export const freepbxTable = `
CREATE TABLE cdr (
  calldate datetime NOT NULL DEFAULT '1970-01-01 00:00:00', clid varchar(80) NOT NULL DEFAULT '',
  src varchar(80) NOT NULL DEFAULT '', dst varchar(80) NOT NULL DEFAULT '',
  dcontext varchar(80) NOT NULL DEFAULT '', channel varchar(80) NOT NULL DEFAULT '',
  dstchannel varchar(80) NOT NULL DEFAULT '', lastapp varchar(80) NOT NULL DEFAULT '',
  lastdata varchar(80) NOT NULL DEFAULT '', duration int(11) NOT NULL DEFAULT 0,
  billsec int(11) NOT NULL DEFAULT 0, disposition varchar(45) NOT NULL DEFAULT '',
  amaflags int(11) NOT NULL DEFAULT 0, accountcode varchar(80) NOT NULL DEFAULT '',
  uniqueid varchar(32) NOT NULL DEFAULT '', userfield varchar(255) NOT NULL DEFAULT '',
  did varchar(50) NOT NULL DEFAULT '', recordingfile varchar(255) NOT NULL DEFAULT '',
  cnum varchar(80) NOT NULL DEFAULT '', cnam varchar(80) NOT NULL DEFAULT '',
  outbound_cnum varchar(80) NOT NULL DEFAULT '', outbound_cnam varchar(80) NOT NULL DEFAULT '',
  dst_cnam varchar(80) NOT NULL DEFAULT '', linkedid varchar(32) NOT NULL DEFAULT '',
  peeraccount varchar(80) NOT NULL DEFAULT '', sequence int(11) NOT NULL DEFAULT 0,
  KEY calldate (calldate), KEY dst (dst), KEY accountcode (accountcode), KEY uniqueid (uniqueid),
  KEY did (did), KEY recordingfile (recordingfile(191))
)`;
