import { channelLines, extension, type Layout, type LineLayout, type Use } from './layout.ts';

/** A line of a text, offsets in bytes; the key of a line without a colon is ''. */
export type Line = { readonly key: string; readonly value: number; readonly end: number };

export type Reading =
  /**
   * `lines` are those that Asterisk wrote. `broken`: how many values have line breaks. `isDisputed`: some of the lines are, which
   * the bridge can do without.
   */
  | {
      readonly kind: 'whole';
      readonly lines: readonly PlacedLine[];
      readonly broken: number;
      readonly isDisputed?: true;
    }
  /** The text ends inside a value that may have line breaks: the rest is still to come. */
  | { readonly kind: 'cut' }
  /** It can be read in ways that differ in what the bridge needs. */
  | { readonly kind: 'several' }
  /** Asterisk did not write this. */
  | { readonly kind: 'unreadable' };

/**
 * `behind`: where its value ends, line breaks in it included. `isDisputed`: the text can be read in ways that differ in this
 * value, so it has none.
 */
export type PlacedLine = Line & { readonly behind: number; readonly isDisputed?: true };

/**
 * What all ways to read a text from one of its lines on have in common: its first line, which is the layout's `nth`, and the
 * rest. `used`: what the bridge uses of it.
 */
type Suffix = {
  readonly line: PlacedLine;
  readonly nth: number;
  readonly used: string;
  readonly isDisputed: boolean;
  readonly rest: Suffix | undefined;
};

/** Between two of these, Asterisk writes more than their `raw`. */
const isFarFromNext = /(CallerIDNum|ConnectedLineNum|AccountCode|Exten)$/;

function* linesFrom(suffix: Suffix): Generator<Suffix, void> {
  for (let each: Suffix | undefined = suffix; each !== undefined; each = each.rest) yield each;
}

/** More lines than any event has, line breaks in all its values included. */
const maxLines = 400;
const unreadable: Reading = { kind: 'unreadable' };

/**
 * Finds the lines that Asterisk wrote in a text whose values may have line breaks. Asterisk cuts each such value at the
 * layout's `raw`.
 * @param text one character for each byte; blank lines inside are part of a value.
 * @param known keys that may be only where the layout has them; lines with others may be anywhere.
 * @param useOf whether the value of a key matters.
 * @param hasEvents whether the beginning of another event may be in a value between which and the next Asterisk writes more
 * than the value can have.
 */
export function readAs(
  text: string,
  layout: Layout,
  known: ReadonlySet<string>,
  useOf: (key: string) => Use,
  hasEvents = false,
): Reading {
  const lines = linesOf(text);
  if (lines[0]?.key !== layout[0]?.key || lines.length > maxLines) return unreadable;
  const plain = readPlain(lines, layout, known);
  if (plain !== undefined) return { kind: 'whole', lines: plain, broken: 0 };
  const suffixes = new Map<number, Suffix | 'several' | undefined>();
  let isCut = false;
  const found = read(0, 0);
  if (found === undefined) return isCut ? { kind: 'cut' } : unreadable;
  if (found === 'several') return { kind: 'several' };
  const placed = [...linesFrom(found)].map(({ line }) => line);
  const broken = placed.filter(({ end, behind }) => behind > end).length;
  return { kind: 'whole', lines: placed, broken, ...(found.isDisputed && { isDisputed: true }) };

  /** What is certain from there on, if line `at` is the layout's `nth`; undefined if it cannot be. */
  function read(at: number, nth: number): Suffix | 'several' | undefined {
    const state = at * layout.length + nth;
    if (suffixes.has(state)) return suffixes.get(state);
    let suffix: Suffix | 'several' | undefined;
    const line = lines[at] as Line;
    const { raw = -1 } = layout[nth] as LineLayout;
    const add = (next: number, isBroken: boolean, rest: Suffix | undefined): void => {
      const behind = isBroken ? (lines[next - 1] as Line).end : line.end;
      const way = suffixOf(nth, { ...line, behind }, rest);
      if (suffix !== 'several') suffix = suffix === undefined ? way : inCommon(suffix, way);
    };
    let areUnknown = true;
    for (let next = at + 1; next <= lines.length; next++) {
      const isBroken = (lines[next - 1] as Line).end - line.value <= raw && !hasNextEvent(at, next);
      if (!areUnknown && !isBroken) break;
      if (next === lines.length) {
        if (isRestOptional(nth + 1)) add(next, isBroken, undefined);
        else isCut ||= isBroken;
        break;
      }
      const then = nthOf(lines[next] as Line, nth + 1);
      const rest = then > 0 ? read(next, then) : undefined;
      if (rest === 'several') suffix = rest;
      else if (rest !== undefined) add(next, !areUnknown, rest);
      areUnknown &&= isUnknown(lines[next] as Line);
    }
    suffixes.set(state, suffix);
    return suffix;
  }

  function suffixOf(nth: number, line: PlacedLine, rest: Suffix | undefined): Suffix {
    const value = line.isDisputed ? '' : `: ${text.slice(line.value, line.end)}`;
    const own = useOf(line.key) === 'no' ? '' : `${line.key}${value}\n`;
    const isDisputed = (line.isDisputed ?? rest?.isDisputed) === true;
    return { line, nth, used: own + (rest?.used ?? ''), isDisputed, rest };
  }

  /** Of what is not used, the first way counts. A line that is disputed is where it is last in any way. */
  function inCommon(one: Suffix, other: Suffix): Suffix | 'several' {
    if (one.used === other.used && !one.isDisputed) return one;
    const theirs = new Map(linesFrom(other).map(({ nth, line }) => [nth, line]));
    const common = new Map(linesFrom(one).map(({ nth, line }) => [nth, line]));
    for (const nth of new Set([...common.keys(), ...theirs.keys()])) {
      const ways = [common.get(nth), theirs.get(nth)].filter((line) => line !== undefined);
      const last = ways.reduce((first, second) => (second.value > first.value ? second : first));
      const use = useOf(last.key);
      const values = new Set(ways.map((line) => text.slice(line.value, line.end)));
      const isCertain = ways.length === 2 && values.size === 1 && !ways.some(({ isDisputed }) => isDisputed);
      if (use === 'no' || isCertain) continue;
      if (use === 'always') return 'several';
      common.set(nth, { ...last, isDisputed: true });
    }
    let suffix: Suffix | undefined;
    for (const [nth, line] of [...common].sort(([first], [second]) => second - first))
      suffix = suffixOf(nth, line, suffix);
    return suffix as Suffix;
  }

  /** Where in the layout the line can be, from `nth` on; 0 if nowhere. */
  function nthOf({ key }: Line, nth: number): number {
    for (let i = nth; i < layout.length; i++) {
      if (layout[i]?.key === key) return i;
      if (!layout[i]?.optional) return 0;
    }
    return 0;
  }

  /** A key that no version known to the bridge writes. */
  function isUnknown({ key }: Line): boolean {
    return key !== '' && !known.has(key);
  }

  function isRestOptional(nth: number): boolean {
    return layout.slice(nth).every(({ optional }) => optional);
  }

  /**
   * True if what would be a value goes up to the same line of another event: then that is the next event. Except before the
   * first of them, Asterisk writes more between two than a caller's value can have.
   */
  function hasNextEvent(at: number, next: number): boolean {
    const [first, last] = [lines[at] as Line, lines[next - 1] as Line];
    if (next === at + 1 || last.key !== first.key) return false;
    if (hasEvents && isFarFromNext.test(first.key)) return false;
    if (last.key !== 'Channel' && last.value - first.value <= extension) return false;
    return lines.slice(at + 1, next).some(({ key }) => key === 'Event');
  }
}

/**
 * True if all lines of each channel in an event of any kind are there, in order: it was not cut in one of their values.
 * Nor was one with a blank line, as recordings have them.
 */
export function hasWholeChannels(text: string): boolean {
  if (/\n\r*\n[^\r\n]/.test(text)) return true;
  const lines = linesOf(text);
  return lines.every(({ key }, i) => {
    const prefix = key.slice(0, -'Channel'.length);
    if (!key.endsWith('Channel') || lines[i + 1]?.key !== `${prefix}ChannelState`) return true;
    const [layout, keys] = prefix === '' ? channelItself : withKeys(channelLines(prefix));
    return readPlain(lines.slice(i), layout, keys) !== undefined;
  });
}

const withKeys = (layout: Layout) => [layout, new Set(layout.map(({ key }) => key))] as const;
/** The most frequent: most events are of a channel. */
const channelItself = withKeys(channelLines());

/** The lines of a text in which each key is where it belongs and no other is between them but unknown ones. */
function readPlain(
  lines: readonly Line[],
  layout: Layout,
  known: ReadonlySet<string>,
): PlacedLine[] | undefined {
  const placed: PlacedLine[] = [];
  let nth = 0;
  for (const line of lines) {
    let then = nth;
    while (then < layout.length && layout[then]?.key !== line.key && layout[then]?.optional) then++;
    if (layout[then]?.key === line.key) {
      placed.push({ ...line, behind: line.end });
      nth = then + 1;
    } else if (line.key === '' || known.has(line.key)) return undefined;
  }
  return layout.slice(nth).every(({ optional }) => optional) ? placed : undefined;
}

/** The lines, without those at the end that are blank. */
function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  for (let start = 0; start < text.length && lines.length <= maxLines; ) {
    const lineFeed = text.indexOf('\n', start);
    const next = lineFeed < 0 ? text.length : lineFeed;
    let end = next;
    while (end > start && text.charCodeAt(end - 1) === CR) end--;
    lines.push(lineOf(text, start, end));
    start = next + 1;
  }
  while (lines.at(-1)?.key === '' && lines.at(-1)?.value === lines.at(-1)?.end) lines.pop();
  return lines;
}

function lineOf(text: string, start: number, end: number): Line {
  let colon = start;
  while (colon < end && text.charCodeAt(colon) !== COLON) colon++;
  if (colon === end) return { key: '', value: start, end };
  const value = colon + 1;
  const hasSpace = value < end && text.charCodeAt(value) === SPACE;
  return { key: text.slice(start, colon), value: hasSpace ? value + 1 : value, end };
}

const SPACE = 32;
const COLON = 58;
const CR = 13;
