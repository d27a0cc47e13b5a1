import { parseDigits } from 'libphonenumber-js/max';

/** What PBXs and trunks write in place of a number that its caller withholds; `P`: an analogue line's caller id. */
const withheldWords = /^(?:anonym|restrict|priv|withheld|block|hidden|suppress|secret|p$)/i;

/**
 * The number in what the PBX calls one: `0171392` in `"Ann" <sip:0171392@10.0.0.1:5060;user=phone>`, `tel:0171392`,
 * `0171392:5060`, `"0171392"` and `0171392,12` (what is dialled after a pause), `+49171392` in `%2B49171392`. '' if there is
 * nothing in it that could be dialled: `anonymous`, `reception`, `alice7`.
 */
export function numberIn(text: string): string {
  const address = addressIn(text);
  const number = /^\+?[\d().*# /-]+/.exec(address)?.[0] ?? '';
  const rest = address.slice(number.length);
  const isDialable = /\d/.test(number) && (rest === '' || /^[,pwx][\d,pwx*# ]*$/i.test(rest));
  return isDialable ? number.trimEnd() : '';
}

/** True for a text that says that the caller withholds the number: a word, or nothing but zeros. */
export function isWithheld(text: string): boolean {
  const address = addressIn(text);
  return withheldWords.test(address) || /^\+?0+$/.test(address);
}

function addressIn(text: string): string {
  // Almost every number is written so.
  if (/^\+?\d*$/.test(text)) return text;
  const written = plain(text);
  const uri = /<([^<>]*)>/.exec(written)?.[1] ?? written;
  const [address = ''] = uri
    .replace(/["']/g, '')
    .trim()
    .replace(/^(sips?|tel):/i, '')
    .split(/[@;?]/);
  return address.replace(/:\d*$/, '');
}

/** In ASCII: without percent-encoding, full-width and Arabic digits, dashes and blanks of print. */
function plain(text: string): string {
  if (/^[ -$&-~]*$/.test(text)) return text;
  return decoded(text)
    .normalize('NFKC')
    .replace(/\p{Nd}/gu, (digit) => parseDigits(digit) || digit)
    .replace(/\p{Pd}/gu, '-')
    .replace(/\p{Cf}/gu, '');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
