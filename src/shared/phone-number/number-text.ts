import { numberTexts } from './number-texts.ts';
import { plainText } from './plain-text.ts';

/** What PBXs and trunks write in place of a number that its caller withholds; `P`: an analogue line's caller id. */
const withheldWords = /^(?:anonym|restrict|priv|withheld|block|hidden|suppress|secret|p$)/i;

/**
 * The number in what a PBX or a person calls one, the first if there are several: `0171392` in
 * `"Ann" <sip:0171392@10.0.0.1:5060;user=phone>`, `tel:0171392`, `0171392:5060`, `"0171392"` and `0171392,12` (what is
 * dialled after a pause), `+49171392` in `%2B49171392`. '' if there is nothing in it that could be dialled: `anonymous`,
 * `reception`, `alice7`. `country`: where it was dialled, if that is known.
 */
export function numberIn(text: string, country?: string | null): string {
  // Most names have no digits.
  if (!/[\d\u0080-\uffff%]/.test(text)) return '';
  // `#` ends dialling.
  const { texts, unread } = numberTexts(text.replace(/(?<=\d)#$/, ''), country);
  // A PBX writes one: what a person would have to explain is read as it stands.
  const [whole] = unread.length === 1 && unread[0]?.reason === 'ambiguous' ? unread : [];
  return texts[0] ?? (whole && /^\+?\d[\d ().-]*$/.test(whole.text) ? whole.text : '');
}

/** True for a text that says that the caller withholds the number: a word, or nothing but zeros. */
export function isWithheld(text: string): boolean {
  const address = addressIn(text);
  return withheldWords.test(address) || /^\+?0+$/.test(address);
}

function addressIn(text: string): string {
  // Almost every number is written so.
  if (/^\+?\d*$/.test(text)) return text;
  const written = plainText(text);
  const uri = /<([^<>]*)>/.exec(written)?.[1] ?? written;
  const [address = ''] = uri
    .replace(/["']/g, '')
    .trim()
    .replace(/^(sips?|tel):/i, '')
    .split(/[@;?]/);
  return address.replace(/:\d*$/, '');
}
