import { startCluster } from './cluster.ts';

type Test = { after(callback: () => Promise<void>): void };

/**
 * A primary and a standby that follows it, both in `address`; with `synchronous`, what is acknowledged has to be on
 * both of them.
 */
export async function startReplicated(t: Test, { synchronous }: { synchronous: boolean }) {
  const primary = await startCluster({ wal_level: 'replica', hot_standby: 'on' });
  t.after(() => primary.remove());
  const standby = await primary.standby('second');
  await standby.start();
  const database = await primary.database();
  await primary.sql(`ALTER SYSTEM SET synchronous_standby_names = '${synchronous ? 'second' : ''}'`);
  await primary.sql('SELECT pg_reload_conf()');
  await primary.sql('CREATE TABLE confirmed ()'); // comes back when the standby has it
  return {
    primary,
    standby,
    address: database.replace(/(@[^/]+)/, `$1,127.0.0.1:${standby.port}`),
    /** The standby takes over, and has no standby to wait for. */
    async promote(): Promise<void> {
      standby.run('pg_ctl', 'promote', '-D', standby.dataDir);
      await standby.sql("ALTER SYSTEM SET synchronous_standby_names = ''");
      await standby.sql('SELECT pg_reload_conf()');
    },
  };
}
