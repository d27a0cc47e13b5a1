import { createHmac } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { readNumber } from '../../../shared/phone-number/normalise-number.ts';
import { autoNotation } from '../../../shared/phone-number/trunk-notation.ts';
import { endpointOf, extensionOf } from '../../calls/channel-name.ts';
import { decidingRule, type ReportRule } from '../../calls/report-rules.ts';
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

/** Those of a number that `record` hides. */
const maskedDigits = new RegExp(`(?<=\\d)\\d{${tail}}(?!\\d)`, 'g');

/** A header whose value the settings name by globs. */
const nameField = /^\w*(?:Channel|Newname|Context): (.*?)\r?$/;

/** Extensions are shorter, and not private: queues, mailboxes and phones keep their numbers, as in the log. */
const SHORTEST_NUMBER = 7;
/** A phone whose number the settings name may have two digits before its extension: FreePBX's 99. */
const LONGEST_DEVICE = 8;

type MaskOptions = {
  /** What they say of channels, contexts and numbers must be the same of their stand-ins. */
  readonly rules?: Rules;
  /** Numbers with so many digits are hidden. */
  readonly shortest?: number;
};

/**
 * @param key random bytes, for one recording. Where the rules say something else of a name's stand-in (a trunk is named by
 *   its number, and a glob names it), the name is kept: a replay must classify it as the bridge does. So is a number of which
 *   REPORT_RULES say something else. The number of a phone that they name is kept in all fields, since its dial string is
 *   compared with its name.
 */
export function createMasker(key: Buffer, { rules, shortest = SHORTEST_NUMBER }: MaskOptions = {}): Masker {
  const namedPhones = new Set<string>();
  /** By number: a call has the same ones in each of its events. */
  const standIns = new LRUCache<string, string>({ max: 10_000 });
  const decide = rules && numberRules(rules);
  const digest = (text: string) => createHmac('sha256', key).update(text).digest();

  function number(digits: string): string {
    // Zeros stand for a number that is withheld.
    if (digits.length < shortest || /^0+$/.test(digits) || namedPhones.has(digits)) return digits;
    const known = standIns.get(digits);
    if (known !== undefined) return known;
    const shown = Math.max(digits.length - tail, 1);
    const hidden = digits.slice(shown);
    const stand = digest(hidden).readUIntBE(0, 6) % 10 ** hidden.length;
    const masked = digits.slice(0, shown) + String(stand).padStart(hidden.length, '0');
    const kept = decide?.(digits) === decide?.(masked) ? masked : digits;
    standIns.set(digits, kept);
    return kept;
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
    rules.reportRules.map(
      ({ subject, matches }) => subject === 'channel' && [name, endpointOf(name)].some(matches),
    ),
  ].join(' ');

/** What each of REPORT_RULES says of a number, in whatever field and form it is; undefined if none asks for numbers. */
function numberRules({
  reportRules,
  defaultCountry,
  trunkNumbers,
}: Rules): ((digits: string) => string) | undefined {
  let said: boolean[] = [];
  // Each is asked of each form: none of them decides.
  const asked = reportRules
    .filter(({ subject }) => subject !== '*' && subject !== 'channel')
    .map((rule): ReportRule => ({ ...rule, matches: (text) => said.push(rule.matches(text)) === 0 }));
  if (asked.length === 0) return undefined;
  const notations = [autoNotation, ...trunkNumbers.map(({ notation }) => notation)];
  return (digits) => {
    said = [];
    for (const text of [digits, `+${digits}`])
      for (const caller of new Set(notations.map((one) => readNumber(text, defaultCountry, one).number)))
        decidingRule({ reportRules: asked, defaultCountry }, { caller, called: text });
    return said.join();
  };
}

/** The same rules, to be asked about a masked recording; and of which of them real numbers might be others, once they were asked. */
export function withMaskedDigits(reportRules: readonly ReportRule[]) {
  const unsure = new Set<string>();
  const rules = reportRules.map((rule): ReportRule => {
    const matches = (text: string) => {
      const isMatch = rule.matches(text);
      if (!isMatch && rule.mayMatch(text.replace(maskedDigits, 'x'.repeat(tail)))) unsure.add(rule.text);
      return isMatch;
    };
    return { ...rule, matches };
  });
  return { rules, unsure };
}

/** True for the channel of a phone with a number that NOT_A_PERSON or DEVICE_NAMES names. */
function isNamedPhone(rules: Rules, channel: string): boolean {
  const number = extensionOf(channel);
  const isNumber = /^\d+$/.test(number) && number.length <= LONGEST_DEVICE;
  return isNumber && (rules.isMachine(channel) || rules.extension(number, channel) !== number);
}
