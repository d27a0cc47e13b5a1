import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { atExit } from '../lab/at-exit.ts';
import { unprivileged } from './cluster.ts';
import { answers } from './nginx.ts';

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
  const child = spawn('/usr/sbin/pgbouncer', [join(folder, 'pgbouncer.ini')], {
    ...user,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const forget = atExit(() => child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  await Promise.race([answers(port), ended]);
  if (child.exitCode !== null) throw new Error(`PgBouncer did not start:\n${said}`);
  return {
    url: `postgres://${username}:secret@127.0.0.1:${port}${pathname}`,
    async stop() {
      forget();
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
