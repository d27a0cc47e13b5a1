import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { unprivileged } from './cluster.ts';
import { runServer } from './run-server.ts';

/** PgBouncer in transaction mode, as it comes: nothing but the server and the mode is set. `url` goes through it. */
export async function startPgBouncer(database: string): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'pbx-bridge-pgbouncer-'));
  const user = unprivileged();
  const port = await freePort();
  const { hostname, port: serverPort, username, pathname } = new URL(database);
  writeFileSync(
    join(folder, 'pgbouncer.ini'),
    `[databases]
* = host=${hostname} port=${serverPort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${join(folder, 'users')}
pool_mode = transaction
default_pool_size = 5
`,
  );
  writeFileSync(join(folder, 'users'), `"${username}" "secret"\n`);
  if (user.uid !== undefined) execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, folder]);
  const stop = await runServer({
    command: '/usr/sbin/pgbouncer',
    args: [join(folder, 'pgbouncer.ini')],
    options: user,
    ...{ port, folder, signal: 'SIGKILL' },
  });
  return {
    url: `postgres://${username}:secret@127.0.0.1:${port}${pathname}`,
    stop,
  };
}
