/** Reasons, and lines of each, that are reported; further ones are only counted. */
const [MAX_REASONS, MAX_LINES] = [100, 10];

/** Why lines are refused, or cells of them left out: how many they are, and the first ten. */
export type Refused = { readonly message: string; readonly count: number; readonly lines: number[] };

/** Collects these by reason, the first hundred reasons. */
export function refusals() {
  const byReason = new Map<string, { message: string; count: number; lines: number[] }>();
  let refused = 0;
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

export type Refusals = ReturnType<typeof refusals>;

/** `lines 2, 3, 4 and 664 more` */
export const linesText = ({ lines, count }: Refused): string =>
  `${count === 1 ? 'line' : 'lines'} ${lines.join(', ')}${count > lines.length ? ` and ${count - lines.length} more` : ''}`;
