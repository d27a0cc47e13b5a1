import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { callStatuses } from '../../api/contract/call-status.ts';
import { highestSeq } from '../tables/counters.ts';
import { isBodyOf } from '../tables/event-body.ts';
import { type PageRow, pageSize, rowsOfPage, type Value } from './page.ts';
import { framesOf } from './wal.ts';

/** A row that was read out of a damaged file: its table and its values in the table's order. */
export type SavedRow =
  | { readonly table: 'event' | 'attempt' | 'counters'; readonly values: readonly (number | string | null)[] }
  | { readonly table: 'open_call'; readonly values: readonly [id: string, state: string] }
  | { readonly table: 'trunk'; readonly values: readonly [endpoint: string, source: string, state: string] }
  | { readonly table: 'unreported'; readonly values: readonly [id: string, at: number, why: string] }
  | { readonly table: 'cdr_checkpoint'; readonly values: readonly [id: number, checkpoint: string] };

/** Pages read at once. */
const stride = 256;

/**
 * Every row that can be read from a database file and its WAL (`wal`: its bytes), page by page, even if the tree above
 * the pages is damaged. A row can appear several times: the later copy is newer, or damaged.
 */
export function* salvage(path: string, wal: Buffer): Generator<SavedRow> {
  const fd = openSync(path, 'r');
  try {
    const pages = Math.ceil(fstatSync(fd).size / pageSize);
    const inWal = new Map<number, Buffer>();
    for (const { pageNumber, page } of framesOf(wal)) inWal.set(pageNumber, page);
    const pageAt = (number: number): Buffer | undefined =>
      inWal.get(number) ?? (number > 0 && number <= pages ? readPages(fd, number, 1) : undefined);

    for (let first = 1; first <= pages; first += stride) {
      const block = readPages(fd, first, stride);
      for (let i = 0; i * pageSize < block.length; i++) {
        const page = block.subarray(i * pageSize, (i + 1) * pageSize);
        yield* savedRows(page, pageAt);
      }
    }
    for (const { page } of framesOf(wal)) yield* savedRows(page, pageAt);
  } finally {
    closeSync(fd);
  }
}

function readPages(fd: number, first: number, count: number): Buffer {
  const block = Buffer.alloc(count * pageSize);
  const length = readSync(fd, block, 0, block.length, (first - 1) * pageSize);
  return block.subarray(0, length);
}

function* savedRows(page: Buffer, pageAt: (n: number) => Buffer | undefined): Generator<SavedRow> {
  for (const row of rowsOfPage(page, pageAt)) {
    const saved = recognise(row);
    if (saved) yield saved;
  }
}

/** Tables are recognised by the shape of their rows. Rows of any other shape are damaged, or not ours. */
const shapes: readonly {
  readonly table: SavedRow['table'];
  readonly columns: readonly ((v: Value) => boolean)[];
}[] = [
  {
    table: 'event',
    columns: [
      isNull,
      isText,
      (v) => callStatuses.some((status) => status === v),
      isJson,
      isCount,
      (v) => v === 0 || v === 1 || v === 2,
      isCount,
      orNull(isCount),
      orNull(isCount),
      orNull(isCount),
      isCount,
    ],
  },
  {
    table: 'attempt',
    columns: [
      isNull,
      isCount,
      (v) => v === 'delivered' || v === 'retry' || v === 'dead',
      (v) => v === 0 || v === 1,
      orNull(isCount),
      orNull(isText),
      (v) => typeof v === 'number' && v >= 0,
    ],
  },
  { table: 'counters', columns: [isNull, isCount, isCount, isCount, isCount, isCount, isSeq] },
  { table: 'open_call', columns: [isText, isJson] },
  { table: 'trunk', columns: [isText, isText, isJson] },
  { table: 'unreported', columns: [isText, isCount, isText] },
  { table: 'cdr_checkpoint', columns: [isNull, isJson] },
];

function recognise({ rowid, values }: PageRow): SavedRow | undefined {
  if (!Number.isSafeInteger(rowid) || rowid < 1) return undefined;
  const shape = shapes.find(
    ({ columns }) => values.length === columns.length && columns.every((fits, i) => fits(values[i] as Value)),
  );
  if (!shape || (shape.table === 'event' && !isEvent(rowid, values))) return undefined;
  const named = values[0] === null ? [rowid, ...values.slice(1)] : values;
  return { table: shape.table, values: named } as SavedRow;
}

function isEvent(seq: number, [, callId, status, body]: readonly Value[]): boolean {
  return isSeq(seq) && isBodyOf(body as string, callId as string, status as string);
}

function isNull(value: Value): boolean {
  return value === null;
}

function isText(value: Value): boolean {
  return typeof value === 'string' && value !== '';
}

function isCount(value: Value): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isSeq(value: Value): boolean {
  return isCount(value) && (value as number) <= highestSeq;
}

function isJson(value: Value): boolean {
  if (typeof value !== 'string') return false;
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}

function orNull(fits: (value: Value) => boolean): (value: Value) => boolean {
  return (value) => value === null || fits(value);
}
