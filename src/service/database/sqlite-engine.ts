import { moduleBeside } from '../../shared/process/module-beside.ts';
import { emptyLog } from '../../shared/storage/empty-log.ts';
import { startThread } from '../../shared/storage/thread.ts';
import type { Methods } from '../../shared/storage/thread-messages.ts';
import { openLookups } from '../store/sqlite/open.ts';
import type { Statements, Value } from '../store/statements.ts';
import type { ReaderMethods } from './sqlite-reader.ts';
import type { WriterMethods, WriterNotice } from './sqlite-writer.ts';

export type SqliteEngine = Awaited<ReturnType<typeof openSqliteEngine>>;

/**
 * A thread that writes to a file, one that reads it, and lookups of this thread. `fail` is called if a thread ends by itself.
 */
export async function openSqliteEngine(file: string, fail: (error: Error) => void) {
  let moved: string | undefined;
  const start = async <M extends Methods>(script: string) => {
    const onNotice = (notice: WriterNotice) => {
      moved = notice.moved;
    };
    const thread = await startThread<M, WriterNotice>(
      moduleBeside(import.meta.url, script),
      { file },
      { onNotice },
    );
    void thread.failed.then(fail);
    return thread;
  };
  const writer = await start<WriterMethods>('./sqlite-writer');
  const reader = await start<ReaderMethods>('./sqlite-reader').catch(async (error: unknown) => {
    await writer.close();
    throw error;
  });
  const lookups = openLookups(file);
  return {
    writer,
    reader,
    lookups,
    /** What was waited for until a change was made sees it. */
    async changed<T>(made: Promise<T>): Promise<T> {
      const result = await made;
      lookups.endRead();
      return result;
    },
    /** What has happened to the file; undefined: it is there. */
    moved: () => moved,
    /** See Store.purge. */
    async purge() {
      await writer.request('catchUp');
      return emptyLog(file, lookups.endRead);
    },
    async close(): Promise<void> {
      lookups.close();
      await reader.close();
      await writer.close();
    },
  };
}

export function sqliteStatements({ writer, reader, lookups, changed }: SqliteEngine): Statements {
  const write = <Row>(sql: string, ...values: Value[]) =>
    changed(writer.request('rows', sql, values)) as Promise<Row[]>;
  return {
    read: <Row>(sql: string, ...values: Value[]) => reader.request('rows', sql, values) as Promise<Row[]>,
    // Plain objects, as a thread returns them.
    lookup: async <Row>(sql: string, ...values: Value[]) =>
      lookups.rows(sql, values).map((row) => ({ ...(row as Row) })),
    write,
    // SQLite has one writer at a time.
    writeAlone: (_account, sql, ...values) => write(sql, ...values),
    contains: (text, part) => `instr(${text}, ${part}) > 0`,
    firstLine: (text) => `substr(${text}, 1, instr(${text}, char(10)) - 1)`,
    indexed: (text) => text,
    jsonRows: (columns, order) => `json_group_array(json_array(${columns}) ORDER BY ${order})`,
    along: (index) => `INDEXED BY ${index}`,
    lockingRows: '', // SQLite has one writer at a time
  };
}
