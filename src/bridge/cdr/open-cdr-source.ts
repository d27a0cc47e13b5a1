import type { RecordSource } from './cdr-source.ts';
import { createCsvSource } from './csv-source.ts';
import type { MysqlOptions } from './mysql-connection.ts';

/** Where Asterisk stores its call records. */
export type SourceOptions =
  | { readonly kind: 'csv' | 'sqlite'; readonly path: string }
  | ({ readonly kind: 'mysql' } & MysqlOptions);

/** Opens a source. Only the library of the requested kind is loaded. */
export async function openSource(options: SourceOptions): Promise<RecordSource<unknown>> {
  switch (options.kind) {
    case 'csv':
      return createCsvSource(options.path);
    case 'sqlite':
      return (await import('./sqlite-source.ts')).createSqliteSource(options.path);
    case 'mysql':
      return (await import('./mysql-source.ts')).createMysqlSource(options);
  }
}
