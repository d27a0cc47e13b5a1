/**
 * What is used of a line of cdr-csv/Master.csv: Asterisk's own record of a call, or of a stretch of it. Times are left
 * out on purpose: they are local without a zone unless `usegmtime=yes`; a call is known by its uniqueid instead, which
 * no time zone and no clock change touches.
 */
export type CdrRecord = {
  readonly src: string;
  readonly dst: string;
  readonly dcontext: string;
  readonly channel: string;
  /** The other end; '' if there was none. */
  readonly dstchannel: string;
  readonly lastapp: string;
  readonly lastdata: string;
  /** `ANSWERED`, `NO ANSWER`, `BUSY`, `FAILED`, `CONGESTION`. */
  readonly disposition: string;
  readonly uniqueid: string;
};

/** Columns before uniqueid, which is there with `loguniqueid=yes`. Source: Asterisk, cdr/cdr_csv.c. */
const fixedColumns = 16;

/**
 * Reads one line, without its line break. `bad`: it is no record; `no-uniqueid`: it is one that does not say of
 * which call.
 */
export function parseRecord(line: string): CdrRecord | 'bad' | 'no-uniqueid' {
  const values = columnsOf(line);
  if (values === undefined || values.length < fixedColumns) return 'bad';
  const at = (column: number) => values[column] ?? '';
  if (!/^(?:.+-)?\d+\.\d+$/.test(at(16))) return 'no-uniqueid';
  return {
    src: at(1),
    dst: at(2),
    dcontext: at(3),
    channel: at(5),
    dstchannel: at(6),
    lastapp: at(7),
    lastdata: at(8),
    disposition: at(14),
    uniqueid: at(16),
  };
}

/** Texts in quotes, a quote within doubled; numbers without. */
const column = /(?:"((?:[^"]|"")*)"|([^",]*))(,|$)/y;

function columnsOf(line: string): string[] | undefined {
  const values: string[] = [];
  column.lastIndex = 0;
  for (;;) {
    const found = column.exec(line);
    if (found === null) return undefined;
    values.push(found[1]?.replaceAll('""', '"') ?? found[2] ?? '');
    if (found[3] === '') return values;
  }
}

/** When the call began, Unix ms, whole seconds: Asterisk makes a uniqueid `[systemname-]seconds.count`. */
export function beganAt({ uniqueid }: Pick<CdrRecord, 'uniqueid'>): number {
  return Number(/(\d+)\.\d+$/.exec(uniqueid)?.[1] ?? 0) * 1_000;
}
