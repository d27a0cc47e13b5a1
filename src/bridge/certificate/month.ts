/** A month in the time zone of this machine, until now if it is not over. Times are Unix ms. */
export type Month = { readonly month: string; readonly since: number; readonly until: number };

/** `text`: `2026-11`. Calls that began after `now` are not of it yet. Throws, in one line. */
export function readMonth(text: string, now: number): Month {
  const [, year, month] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(text) ?? [];
  if (year === undefined) throw new Error(`--month takes a month such as 2026-11, not ${text}`);
  const first = (more: number) => new Date(Number(year), Number(month) - 1 + more, 1).getTime();
  const since = first(0);
  if (since >= now) throw new Error(`${text} has not begun yet`);
  return { month: text, since, until: Math.min(first(1), Math.floor(now / 1_000) * 1_000) };
}
