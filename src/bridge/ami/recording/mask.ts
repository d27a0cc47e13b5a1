import { createHmac } from 'node:crypto';
import { extensionOf } from '../../calls/channel-name.ts';
import type { Rules } from '../../calls/rules.ts';

/**
 * Hides numbers and names in a recording's frames, each always behind the same stand-in, so that the trace still works:
 * a number keeps its length and its beginning (country and area), and the same subscriber in national and in
 * international form stays the same one. Without the key the originals cannot be found; the key is thrown away.
 */
type Masker = (frame: Buffer) => Buffer;

/** What must stay as it is, and what may be a number to hide. Ids of channels, calls and bridges come first. */
const tokens =
  /\b\d{9,11}\.\d+\b|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|-[0-9a-f]{8}(?=[;\s]|$)|\d{5,}/gm;

const names = /^((?:\w*CallerIDName|\w*ConnectedLineName): )(.+)$/gim;

/** Digits at the end that make a subscriber; of a short number, all but the first. */
const tail = 6;

/** A header whose value the settings name by globs. */
const nameField = /^\w*(?:Channel|Newname|Context): (.*?)\r?$/;

/** Extensions are shorter, and not private: queues, mailboxes and phones keep their numbers, as in the log. */
const SHORTEST_NUMBER = 7;
/** A phone whose number the settings name may have two digits before its extension: FreePBX's 99. */
const LONGEST_DEVICE = 8;

type MaskOptions = {
  /** What they say of channels and contexts must be the same of their stand-ins. */
  readonly rules?: Rules;
  /** Numbers with so many digits are hidden. */
  readonly shortest?: number;
};

/**
 * @param key random bytes, for one recording. Where the rules say something else of a name's stand-in (a trunk is named by
 *   its number, and a glob names it), the name is kept: a replay must classify it as the bridge does. The number of a phone
 *   that they name is kept in all fields, since its dial string is compared with its name.
 */
export function createMasker(key: Buffer, { rules, shortest = SHORTEST_NUMBER }: MaskOptions = {}): Masker {
  const namedPhones = new Set<string>();
  const digest = (text: string) => createHmac('sha256', key).update(text).digest();

  function number(digits: string): string {
    // Zeros stand for a number that is withheld.
    if (digits.length < shortest || /^0+$/.test(digits) || namedPhones.has(digits)) return digits;
    const shown = Math.max(digits.length - tail, 1);
    const hidden = digits.slice(shown);
    const stand = digest(hidden).readUIntBE(0, 6) % 10 ** hidden.length;
    return digits.slice(0, shown) + String(stand).padStart(hidden.length, '0');
  }

  return (frame) => {
    const original = frame.toString('latin1');
    const lines = original.split('\n');
    const namesOf = lines.map((line) => nameField.exec(line)?.[1]);
    if (rules !== undefined)
      for (const name of namesOf) if (name && isNamedPhone(rules, name)) namedPhones.add(extensionOf(name));
    const masked = original
      .replace(names, (line, key: string, name: string) =>
        name.startsWith('<unknown>') || /^\s*$/.test(name)
          ? line
          : `${key}Caller ${digest(name.trim()).toString('hex', 0, 3)}${name.endsWith('\r') ? '\r' : ''}`,
      )
      .replace(tokens, (token) => (/^\d+$/.test(token) ? number(token) : token));
    const checked = masked.split('\n').map((line, i) => {
      const name = namesOf[i];
      if (rules === undefined || name === undefined || line === lines[i]) return line;
      return classify(rules, name) === classify(rules, nameField.exec(line)?.[1] ?? '') ? line : lines[i];
    });
    return Buffer.from(checked.join('\n'), 'latin1');
  };
}

/** What the settings say of a channel or context. */
const classify = (rules: Rules, name: string): string =>
  [
    rules.contextIsInbound(name),
    rules.nameIsInbound(name),
    rules.isMachine(name),
    rules.notationOf(name).rule,
  ].join(' ');

/** True for the channel of a phone with a number that NOT_A_PERSON or DEVICE_NAMES names. */
function isNamedPhone(rules: Rules, channel: string): boolean {
  const number = extensionOf(channel);
  const isNumber = /^\d+$/.test(number) && number.length <= LONGEST_DEVICE;
  return isNumber && (rules.isMachine(channel) || rules.extension(number, channel) !== number);
}
