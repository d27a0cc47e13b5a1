/** What ends or moves a line where it is printed: no number, extension or name of a channel has one. */
const breaks = /[\0-\x1f\x7f\u0085\u2028\u2029]+/;

/**
 * What comes before the first line break. Callers choose numbers and extensions, and Asterisk hands them on as they are: what
 * is behind a line break is no part of a number, and only meant to be taken for something else.
 */
export function firstLine(value: string): string {
  return breaks.test(value) ? (value.split(breaks, 1)[0] ?? '') : value;
}

/**
 * The name of a channel, which may have a number in it. Line breaks are replaced: a Local channel's two names must stay
 * different, and each the same wherever it is.
 */
export function channelName(value: string): string {
  return breaks.test(value) ? value.split(breaks).join('\ufffd') : value;
}
