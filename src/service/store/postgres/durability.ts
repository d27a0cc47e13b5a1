import type { StoreAbout } from '../store.ts';
import type { Database } from './database.ts';

/** The server's settings that say what a COMMIT means (PostgreSQL, "Write Ahead Log" and "Replication"). */
export type ServerSettings = {
  readonly server_version: string;
  readonly server_version_num: string;
  readonly server_encoding: string;
  readonly fsync: string;
  readonly full_page_writes: string;
  readonly synchronous_commit: string;
  readonly synchronous_standby_names: string;
  readonly is_standby: boolean;
};

export async function settingsOf(database: Database): Promise<ServerSettings> {
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
  const there =
    commit === 'remote_write'
      ? 'in the memory of'
      : commit === 'remote_apply'
        ? 'on the disk of, and visible on,'
        : 'on the disk of';
  const { whose, loss } = wordsFor(standbysOf(standbys));
  return { survives: `on the disk of the primary and ${there} ${whose}: ${loss}${torn}`, safe };
}

/** Those standbys of which `count` have an event before it is acknowledged: the first that are connected, or any. */
export type Standbys = {
  readonly rule: 'first' | 'any';
  readonly count: number;
  readonly names: readonly string[];
};

/** Reads `synchronous_standby_names` (PostgreSQL, "Replication": `a, b`, `2 (a, b, c)`, `FIRST 1 (a, b)`, `ANY 1 (a, b)`). */
export function standbysOf(setting: string): Standbys {
  const [, rule, count, list = setting] = /^\s*(?:(first|any)\s+)?(\d+)\s*\((.*)\)\s*$/is.exec(setting) ?? [];
  const names = list.match(/"(?:[^"]|"")*"|[^\s,]+/g) ?? [];
  return {
    rule: rule?.toLowerCase() === 'any' ? 'any' : 'first',
    count: Number(count ?? 1),
    names: names.map((name) => name.replace(/^"(.*)"$/s, '$1').replaceAll('""', '"')),
  };
}

function wordsFor({ rule, count, names }: Standbys): { whose: string; loss: string } {
  const all = names.join(', ');
  const loss = `it survives the loss of ${count === 1 ? 'either machine' : `any ${count} of these machines`}`;
  if (names.length <= count && all !== '*')
    return {
      whose: count === 1 ? `its synchronous standby (${all})` : `its ${count} synchronous standbys (${all})`,
      loss,
    };
  const some = count === 1 ? 'one' : count;
  return rule === 'any'
    ? {
        whose: `${some} of its standbys (any of ${all})`,
        loss: `${loss}, if the standby that has received most takes over`,
      }
    : {
        whose: `${some} of its standbys (the first connected of ${all})`,
        loss: `${loss}, if the first of these that was connected takes over`,
      };
}
