/** Rows of text under a header, in columns as wide as their widest cell; a column wider than `limit` is not padded. */
export function table(header: readonly string[], rows: readonly (readonly string[])[], limit = 72): string {
  const all = [header, ...rows];
  const widths = header.map((_, column) => {
    const cells = all.map((row) => row[column]?.length ?? 0).filter((length) => length <= limit);
    return Math.max(0, ...cells);
  });
  const line = (row: readonly string[]) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd();
  return [line(header), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.map(line)].join('\n');
}
