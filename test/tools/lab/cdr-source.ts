import { readFileSync } from 'node:fs';
import { freepbxTable, mariadbImpossible, startMariadb } from '../servers/mariadb.ts';
import type { Pbx } from './asterisk.ts';

/** The kinds of call records that the bridge reads, by the beginning of CDR_SOURCE. */
export const cdrKinds = ['csv', 'sqlite', 'mysql'] as const;
export type CdrKind = (typeof cdrKinds)[number];

/** One of the places into which a real Asterisk writes its call records, and from which the bridge reads them. */
export type CdrPlace = {
  /** What Asterisk needs for it. */
  readonly lab: {
    readonly files?: Readonly<Record<string, string>>;
    readonly modules?: readonly string[];
  };
  settings(pbx: Pbx): Readonly<Record<string, string>>;
  stop(): Promise<void>;
};

type PlaceKind = {
  readonly name: string;
  impossible(): string | undefined;
  open(): Promise<CdrPlace>;
};

const csvPlace: PlaceKind = {
  name: 'Master.csv',
  impossible: () => undefined,
  open: async () => ({
    lab: {},
    settings: (pbx) => ({ CDR_SOURCE: `csv:${pbx.cdrFile}` }),
    stop: async () => {},
  }),
};

/** By the sample that people copy, as it is. */
const sqlitePlace: PlaceKind = {
  name: 'cdr_sqlite3_custom',
  impossible: () => undefined,
  open: async () => ({
    lab: {
      files: {
        'cdr_sqlite3_custom.conf': readFileSync(
          new URL('../../../config/asterisk/cdr_sqlite3_custom.conf', import.meta.url),
          'utf8',
        ),
      },
    },
    settings: (pbx) => ({ CDR_SOURCE: `sqlite:${pbx.cdrDatabase}` }),
    stop: async () => {},
  }),
};

/** As FreePBX sets it up: cdr_adaptive_odbc into asteriskcdrdb.cdr. */
const mariadbPlace: PlaceKind = {
  name: 'MariaDB, by cdr_adaptive_odbc',
  impossible: mariadbImpossible,
  async open() {
    const server = await startMariadb();
    await server.admin.query(`CREATE DATABASE asteriskcdrdb; USE asteriskcdrdb; ${freepbxTable};
      CREATE USER asterisk@'127.0.0.1' IDENTIFIED BY 'secret'; GRANT ALL ON asteriskcdrdb.* TO asterisk@'127.0.0.1';
      CREATE USER 'pbx-bridge'@'127.0.0.1' IDENTIFIED BY 'reads'; GRANT SELECT ON asteriskcdrdb.cdr TO 'pbx-bridge'@'127.0.0.1'`);
    return {
      lab: {
        modules: ['res_odbc', 'cdr_adaptive_odbc'],
        files: {
          'odbc.ini': `[asteriskcdrdb]
Driver = /usr/lib/x86_64-linux-gnu/odbc/libmaodbc.so
Server = 127.0.0.1
Port = ${server.port}
Database = asteriskcdrdb
`,
          'res_odbc.conf': `[asteriskcdrdb]
enabled => yes
dsn => asteriskcdrdb
username => asterisk
password => secret
pre-connect => yes
`,
          'cdr_adaptive_odbc.conf': `[asteriskcdrdb]
connection=asteriskcdrdb
table=cdr
alias start => calldate
`,
        },
      },
      settings: () => ({
        CDR_SOURCE: `mysql://pbx-bridge@127.0.0.1:${server.port}/asteriskcdrdb`,
        CDR_PASSWORD: 'reads',
      }),
      stop: server.stop,
    };
  },
};

export const cdrPlaces: Readonly<Record<CdrKind, PlaceKind>> = {
  csv: csvPlace,
  sqlite: sqlitePlace,
  mysql: mariadbPlace,
};

/** What one Asterisk needs to write its call records into several places at once. */
export function labFor(places: Iterable<CdrPlace>): CdrPlace['lab'] {
  const labs = [...places].map(({ lab }) => lab);
  return {
    modules: labs.flatMap(({ modules = [] }) => modules),
    files: Object.assign({}, ...labs.map(({ files }) => files)),
  };
}
