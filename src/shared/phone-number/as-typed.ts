import { digitValue } from './digits.ts';

/** What is no punctuation of ours, but means the same: in print, on phones, in address books of other programs. */
const SAME_AS: readonly [RegExp, string][] = [
  // Blank letters: Braille, and fillers of the Korean script.
  [/[\u2800\u3164\u115f\u1160\uffa0]/g, ' '],
  [/[\u2022\u2217\u25a0\u25cf\u2588]{2,}/g, '**'],
  [/[\u213b\u{1f4e0}\u{1f5b6}\u{1f5b7}]/gu, ',Fax '],
  // Signs for a telephone, bullets and footnotes. NFKC would make digits of some.
  [/[\p{No}\p{So}\p{Sk}\u2022\u2023]/gu, ','],
  [/[\v\f\u0085\u2028\u2029]/g, '\n'],
  [/[\p{Pd}\u2212\u2043\u30fc\uff70\u2500\u2501]/gu, '-'],
  [/[\u2044\u2215\u29f8]/g, '/'],
  [/[\u2795\u207a\u208a]/g, '+'],
  [/[\u3001\uff64]/g, ';'],
  [/[\u00b7\u2219\u22c5\u30fb\u2024\u3002]/g, '.'],
  [/['`\u00b4\u2032\u2033\p{Pi}\p{Pf}\u201a\u201e]/gu, ''],
];

/**
 * A text in the ASCII that it would be typed with: without percent-encoding, direction marks and other invisible
 * characters, with one kind of blanks, dashes, brackets and digits. Letters stay.
 */
export function asTyped(text: string): string {
  if (/^[ -$&(-Z^_a-z|~\n]*$/.test(text)) return text;
  let plain = decoded(text);
  for (const [pattern, replacement] of SAME_AS) plain = plain.replace(pattern, replacement);
  return (
    plain
      .normalize('NFKC')
      .replace(/(?!\d)\p{Nd}/gu, (digit) => String(digitValue(digit)))
      .replace(/[\p{Pd}\u2212]/gu, '-')
      .replace(/\p{Ps}/gu, '(')
      .replace(/\p{Pe}/gu, ')')
      // Invisible: direction marks, zero-width characters, soft hyphens, the byte order mark, variation selectors.
      .replace(/\p{Cf}|\p{Variation_Selector}|\u20e3/gu, '')
      .replace(/[^\S\n]|[^\P{Cc}\n]/gu, ' ')
  );
}

function decoded(text: string): string {
  if (!/%[0-9a-f]{2}/i.test(text)) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
