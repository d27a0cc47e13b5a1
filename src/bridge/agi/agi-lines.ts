import { extension, type Layout, type LineLayout } from '../ami/wire/layout.ts';
import { type Reading, readAs } from '../ami/wire/reading.ts';
import { firstLine } from '../calls/line-break.ts';

const line = (name: string): LineLayout => ({ key: `agi_${name}` });
/** One whose value the caller or the dialplan chooses: it may have line breaks. Few channel drivers limit its length. */
const chosen = (name: string, longest = Number.POSITIVE_INFINITY): LineLayout => ({
  ...line(name),
  raw: longest,
});
const optional = (each: LineLayout): LineLayout => ({ ...each, optional: true });

/**
 * The lines that Asterisk sends, in its order.
 * @see setup_env in Asterisk's res/res_agi.c
 */
const layout: Layout = [
  optional(line('network')),
  optional(chosen('network_script')),
  chosen('request'),
  chosen('channel'),
  line('language'),
  line('type'),
  line('uniqueid'),
  line('version'),
  chosen('callerid'),
  chosen('calleridname'),
  line('callingpres'),
  line('callingani2'),
  line('callington'),
  line('callingtns'),
  chosen('dnid'),
  chosen('rdnis'),
  line('context'),
  chosen('extension', extension),
  line('priority'),
  line('enhanced'),
  chosen('accountcode', extension),
  line('threadid'),
  ...Array.from({ length: 128 }, (_, i) => optional(chosen(`arg_${i + 1}`))),
];

const places: ReadonlyMap<string, number> = new Map(layout.map(({ key }, nth) => [key, nth]));
const keys: ReadonlySet<string> = new Set(places.keys());
const used = /^agi_(network_script|request|channel|uniqueid|callerid|callingpres|dnid|arg_1)$/;

/** The lines that say whether the lookup is about `agi_callerid`. */
const decisive: ReadonlySet<string> = new Set(['agi_callingpres', 'agi_arg_1']);

function read(text: string): Reading {
  // It begins with one of two lines.
  const begun = text.startsWith('agi_request:')
    ? layout.slice(2)
    : layout.slice(text.startsWith('agi_network:') ? 0 : 1);
  return readAs(text, begun, keys, (key) => (used.test(key) ? 'always' : 'no'));
}

/**
 * True if the text ends in a value, and is of an Asterisk: a blank line is in that value, and the rest is still to come.
 * Other programs may send fewer lines.
 */
export function isUnfinished(text: string): boolean {
  return /^agi_channel:/m.test(text) && read(text).kind === 'cut';
}

/**
 * The values by name, each up to its first line break. If a value has lines that can be taken for Asterisk's, only those are
 * in it that must be Asterisk's.
 */
export function readLines(text: string): ReadonlyMap<string, string> {
  const reading = read(text);
  if (reading.kind === 'whole')
    return new Map(
      reading.lines.map(({ key, value, end }) => [key, firstLine(text.slice(value, end)).trim()]),
    );
  const found = text.split('\n').flatMap((each) => {
    const [, name = '', value = ''] = /^(agi_\w+):(.*)$/s.exec(each) ?? [];
    const nth = places.get(name);
    return nth === undefined ? [] : { name, nth, value: firstLine(value.trim()).trim() };
  });
  const values = new Map(inOrder(found).map(({ name, value }) => [name, value]));
  // The caller may withhold the number, or the dialplan may ask about another.
  if (found.some(({ name }) => decisive.has(name) && !values.has(name))) values.delete('agi_callerid');
  return values;
}

/**
 * The lines that are behind all that Asterisk sends earlier, and before all that it sends later. One that was put into a value
 * is none of them: all lines that Asterisk sends behind that value follow.
 */
function inOrder<Placed extends { readonly nth: number }>(lines: readonly Placed[]): Placed[] {
  let latest = -1;
  const behindEarlier = lines.map(({ nth }) => {
    const isBehind = nth > latest;
    latest = Math.max(latest, nth);
    return isBehind;
  });
  let earliest = Number.POSITIVE_INFINITY;
  return lines
    .map((each, i) => ({ each, isBehind: behindEarlier[i] }))
    .toReversed()
    .filter(({ each: { nth }, isBehind }) => {
      const isBefore = nth < earliest;
      earliest = Math.min(earliest, nth);
      return isBehind && isBefore;
    })
    .map(({ each }) => each);
}
