import type { StoreAbout } from '../statements.ts';
import type { Queries } from './database.ts';

/** The server's settings that say what a COMMIT means (PostgreSQL, "Write Ahead Log" and "Replication"). */
type ServerSettings = {
  readonly server_version: string;
  readonly server_version_num: string;
  readonly server_encoding: string;
  readonly fsync: string;
  readonly full_page_writes: string;
  readonly synchronous_commit: string;
  readonly synchronous_standby_names: string;
  readonly is_standby: boolean;
};

export async function settingsOf(database: Queries): Promise<ServerSettings> {
  const names = [
    'server_version',
    'server_version_num',
    'server_encoding',
    'fsync',
    'full_page_writes',
    'synchronous_commit',
    'synchronous_standby_names',
  ];
  const [settings] = await database.rows<ServerSettings>(
    `SELECT ${names.map((name) => `current_setting('${name}') AS ${name}`).join(', ')}, pg_is_in_recovery() AS is_standby`,
  );
  return settings as ServerSettings;
}

/** The first with transaction ids that never come back (xid8), which the screens' feed counts on. */
const OLDEST = 130_000;

/** Why the service must not run on this server; undefined if it can. */
export function refusalOf(settings: ServerSettings): string | undefined {
  const { server_version, server_version_num, server_encoding, fsync, is_standby } = settings;
  if (Number(server_version_num) < OLDEST) return `PostgreSQL ${server_version} is too old: 13 or later`;
  if (server_encoding !== 'UTF8')
    return `the database is in ${server_encoding}: make one with ENCODING 'UTF8'`;
  if (fsync !== 'on')
    return 'the server runs with fsync=off: a crash of its machine can destroy everything. Switch it on';
  if (is_standby) return 'the server is a standby, which takes no writes: name the primary';
  return undefined;
}

/** What an event that was answered 200 survives. */
export function aboutServer(settings: ServerSettings): StoreAbout {
  const engine = `PostgreSQL ${settings.server_version.split(' ')[0]}`;
  return { engine, ...survival(settings) };
}

function survival(settings: ServerSettings): Pick<StoreAbout, 'survives' | 'safe'> {
  const { synchronous_commit: commit, synchronous_standby_names: standbys, full_page_writes } = settings;
  if (commit === 'off')
    return {
      survives:
        "in the memory of the database's machine (synchronous_commit=off): a crash of it loses the events of the last moments, though they were acknowledged",
      safe: false,
    };
  const torn =
    full_page_writes === 'on' ? '' : '; full_page_writes=off: a power failure can damage the database';
  const safe = torn === '';
  if (standbys === '' || commit === 'local')
    return {
      survives: `on the disk of one database server (${standbys === '' ? 'no synchronous standby' : 'synchronous_commit=local'}): it survives a crash, not the loss of that disk, and a standby that takes over may lack the last moments${torn}`,
      safe,
    };
  const there = commit === 'remote_write' ? 'in the memory of' : 'on the disk of';
  return {
    survives: `on the disk of the primary and ${there} its synchronous standbys (synchronous_standby_names = ${standbys}): it survives the loss of the primary if a standby that confirmed it takes over${torn}`,
    safe,
  };
}
