import type { Layout, LineLayout } from '../ami/wire/layout.ts';
import { type Reading, readAs } from '../ami/wire/reading.ts';
import { firstLine } from '../calls/line-break.ts';

const line = (name: string, raw?: number): LineLayout => ({
  key: `agi_${name}`,
  ...(raw !== undefined && { raw }),
});
const optional = (each: LineLayout): LineLayout => ({ ...each, optional: true });

/**
 * The lines that Asterisk sends, in its order; those with a number may have line breaks in their values, since the caller
 * or the dialplan chooses them, and are at most that long (see the layouts of AMI).
 * @see setup_env in Asterisk's res/res_agi.c
 */
const layout: Layout = [
  optional(line('network')),
  optional(line('network_script', 1024)),
  line('request', 1024),
  line('channel', 255),
  line('language'),
  line('type'),
  line('uniqueid'),
  line('version'),
  line('callerid', 255),
  line('calleridname', 255),
  line('callingpres'),
  line('callingani2'),
  line('callington'),
  line('callingtns'),
  line('dnid', 255),
  line('rdnis', 255),
  line('context'),
  line('extension', 79),
  line('priority'),
  line('enhanced'),
  line('accountcode', 79),
  line('threadid'),
  ...Array.from({ length: 128 }, (_, i) => optional(line(`arg_${i + 1}`, 1024))),
];

const keys: ReadonlySet<string> = new Set(layout.map(({ key }) => key));
/** The channel's name is used only with its Uniqueid. */
const used = /^agi_(network_script|request|uniqueid|callerid|callingpres|arg_1)$/;

function read(text: string): Reading {
  // It begins with one of two lines.
  const begun = text.startsWith('agi_request:')
    ? layout.slice(2)
    : layout.slice(text.startsWith('agi_network:') ? 0 : 1);
  return readAs(text, begun, keys, (key) => used.test(key));
}

/**
 * True if the text ends in a value, and is of an Asterisk: a blank line is in that value, and the rest is still to come.
 * Other programs may send fewer lines.
 */
export function isUnfinished(text: string): boolean {
  return /^agi_channel:/m.test(text) && read(text).kind === 'cut';
}

/**
 * The values by name, each up to its first line break. In a text that no Asterisk sends, names that are repeated are left out:
 * what a caller has written into a value cannot be told from the rest.
 */
export function readLines(text: string): ReadonlyMap<string, string> {
  const reading = read(text);
  if (reading.kind === 'whole')
    return new Map(
      reading.lines.map(({ key, value, end }) => [key, firstLine(text.slice(value, end)).trim()]),
    );
  const found = [...text.matchAll(/^(agi_\w+):(.*)$/gm)];
  const repeated = new Set<string>();
  const values = new Map<string, string>();
  for (const [, name = '', value = ''] of found) {
    if (values.has(name)) repeated.add(name);
    values.set(name, firstLine(value.trim()).trim());
  }
  for (const name of repeated) values.delete(name);
  return values;
}
