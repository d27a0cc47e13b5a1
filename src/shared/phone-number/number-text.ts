import { LRUCache } from 'lru-cache';
import { asTyped } from './as-typed.ts';
import { MAX_TEXT, numberTexts } from './number-texts.ts';

/**
 * What PBXs and trunks write in place of a number that its caller withholds, by its first word: `secretary` and `Blockhaus` are
 * people's addresses. `P`: an analogue line's caller id.
 */
const withheldWords =
  /^(?:anonym(?:ous|e|o|us)?|restrict(?:ed)?|priv(?:ate|at|é|ée|ado|ato|e)?|withheld|block(?:ed)?|hidden|suppress(?:ed)?|secret[eo]?|p$)(?![\p{L}\p{M}-])/iu;

/** What stands in place of a caller's number: the caller withholds it, or the carrier has none. */
type Placeholder = 'withheld' | 'missing';

/**
 * Words that carriers write with the digits of a telephone's keypad, with or without a plus and North America's 1. Source:
 * Twilio's help, "Why am I getting calls from these strange numbers?" (support.twilio.com, article 223179988).
 */
const keypadWords: ReadonlyMap<string, Placeholder> = new Map([
  // ANONYMOUS
  ['266696687', 'withheld'],
  // RESTRICTED
  ['7378742833', 'withheld'],
  // BLOCKED
  ['2562533', 'withheld'],
  // UNAVAILABLE
  ['86282452253', 'missing'],
  // UNKNOWN
  ['8656696', 'missing'],
]);

/**
 * One number, its name and its address have no more groups of digits. The time that a text takes grows with their square, and
 * a stranger writes it: in a flood of calls it is time that those of others wait.
 */
const MAX_GROUPS = 12;
const LONGEST_REMEMBERED = 256;
/** A call's number is read several times: when it comes in, when it is looked up, and when it is reported. */
const remembered = new LRUCache<string, string>({ max: 1_000 });

/**
 * The number in what a PBX or a person calls one, the first if there are several: `0171392` in
 * `"Ann" <sip:0171392@10.0.0.1:5060;user=phone>`, `tel:0171392`, `0171392:5060`, `"0171392"` and `0171392,12` (what is
 * dialled after a pause), `+49171392` in `%2B49171392`. '' if there is nothing in it that could be dialled: `anonymous`,
 * `reception`, `alice7`. `country`: where it was dialled, if that is known.
 */
export function numberIn(text: string, country?: string | null): string {
  // Most names have no digits.
  if (text.length > MAX_TEXT || !/[\d\u0080-\uffff%]/.test(text)) return '';
  const key = `${country ?? ''} ${text}`;
  const found = remembered.get(key) ?? firstIn(text, country);
  if (text.length <= LONGEST_REMEMBERED) remembered.set(key, found);
  return found;
}

function firstIn(text: string, country: string | null | undefined): string {
  if ((text.match(/\p{Nd}+/gu)?.length ?? 0) > MAX_GROUPS) return '';
  // `#` ends dialling. A second plus was put before by the PBX: `++4930`. A 0 before it may be a dialplan's that hides or marks the number.
  const dialled = text
    .replace(/(?<=\d)#$/, '')
    .replace(/(?<![^\s<:"])\+\+(?=[1-9](?:[ ()./-]{0,2}\d){6})/, '+');
  const { texts, unread } = numberTexts(dialled, country);
  // A PBX writes one: what a person would have to explain is read as it stands.
  const [whole] = unread.length === 1 && unread[0]?.reason === 'ambiguous' ? unread : [];
  return texts[0] ?? (whole && /^\+?\d[\d ().-]*$/.test(whole.text) ? whole.text : '');
}

/** What a text stands for that a trunk presents in place of a number: a word, the digits of one, or nothing but zeros. */
export function placeholderIn(text: string): Placeholder | undefined {
  const address = addressIn(text);
  if (withheldWords.test(address) || /^\+?0+$/.test(address)) return 'withheld';
  return keypadWords.get(address.replace(/^(?:\+|00)?1?/, ''));
}

/** True for a text that says that the caller withholds the number. */
export function isWithheld(text: string): boolean {
  return placeholderIn(text) === 'withheld';
}

function addressIn(text: string): string {
  if (text.length > MAX_TEXT) return '';
  // Almost every number is written so.
  if (/^\+?\d*$/.test(text)) return text;
  const written = asTyped(text);
  const uri = /<([^<>]*)>/.exec(written)?.[1] ?? written;
  const [address = ''] = uri
    .replace(/["']/g, '')
    .trim()
    .replace(/^(sips?|tel):/i, '')
    .split(/[@;?]/);
  return address.replace(/:\d*$/, '');
}
