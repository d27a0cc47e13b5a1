/** Reasons, and lines of each, that are reported; further ones are only counted. */
const [MAX_REASONS, MAX_LINES] = [100, 10];

/** Why lines are refused, or cells of them left out: how many they are, and the first ten. */
export type Refused = { readonly message: string; readonly count: number; readonly lines: number[] };

/** A column that is not imported, with its first line. */
export type LeftOut = Refused & { readonly column: number; readonly examples: ReadonlySet<string> };

/** Collects these by reason, the first hundred reasons; `before`: those that there are already. */
export function refusals(before?: Refusals): Refusals {
  const byReason = new Map(
    before?.reasons().map(({ message, count, lines }) => [message, { message, count, lines: [...lines] }]),
  );
  let refused = before?.count() ?? 0;
  return {
    add(line: number, message: string): void {
      refused += 1;
      const same = byReason.get(message) ?? { message, count: 0, lines: [] };
      if (same.count === 0 && byReason.size === MAX_REASONS) return;
      same.count += 1;
      if (same.lines.length < MAX_LINES) same.lines.push(line);
      byReason.set(message, same);
    },
    count: () => refused,
    reasons: (): readonly Refused[] => [...byReason.values()],
  };
}

type Refusals = {
  add(line: number, message: string): void;
  count(): number;
  reasons(): readonly Refused[];
};

/** What is named of a table's lines. */
export type LineReports = {
  /** Lines that say nothing of a customer, or something that no customer can have. */
  readonly refused: Refusals;
  /** Cells that are left out of lines that are imported. */
  readonly left: Refusals;
  /** Cells that are imported, and may mean something else. */
  readonly unsure: Refusals;
  /** Lines that add to the customer of an earlier line. */
  readonly repeated: Refusals;
  /** Columns that are not imported although they seem to have telephone numbers. */
  readonly leftOut: LeftOut[];
};

/** `lines 2, 3, 4 and 664 more` */
export const linesText = ({ lines, count }: Refused): string =>
  `${count === 1 ? 'line' : 'lines'} ${lines.join(', ')}${count > lines.length ? ` and ${count - lines.length} more` : ''}`;
