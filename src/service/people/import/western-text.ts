const capital = String.raw`A-Z\u00c0-\u00d6\u00d8-\u00deŠŒŽŸ`;
const small = String.raw`a-z\u00df-\u00f6\u00f8-\u00ffšœž`;
const letter = `[${capital}${small}]`;

/** What no word of a western European language has, but many a word of another encoding that is read as Windows-1252. */
const foreign = new RegExp(
  [
    // Bytes that stand for nothing; and the florin sign.
    String.raw`[\u0080-\u009fƒ]`,
    // Symbols between letters: `Stra§e` of a Macintosh, `K”ln` of DOS. Apostrophes, dashes and the like can be there.
    `${letter}[^${capital}${small}’‘´–—·…\u00ad²°®©™]+${letter}`,
    `${letter}[–—][${small}]`,
    // `£ukasz` and `Pawe³` of eastern Europe.
    `^[£€¥¤¢¯³¹¼½¾×÷¦¨¸¬¶§±]${letter}`,
    `${letter}{3}[£¥¤¢¯³¹¼½¾¦¨¸¬¶¿¡]$`,
    // Cyrillic, Greek, Hebrew, Chinese: whole words.
    String.raw`^[\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u00ff]{3,}$|[\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u00ff]{4}`,
    // `RenŽ` and `MŸller` of a Macintosh.
    `[${small}][ŠŒŽŸ]`,
    `[${capital}][ŠŒŽŸ][${small}]|š[bdfghrs]`,
    // `Kuèerová` and `Petroviæ` of eastern Europe: letters of different languages in one word.
    `(?=${letter}*[èìòùø])(?=${letter}*[áíúýšž])${letter}`,
    'iæ$|[õÕ](?![eE])|[çÇ][bcdfghjklmnpqrstvwxz]',
    // `Güneþ` of Turkey; Icelandic has no such words.
    `þ$|[þÞ][bcdfghklmnpqstxz]|ý${letter}*ý|(?=${letter}*[ýþðÝÞÐ])(?=${letter}*[çüÇÜ])${letter}`,
  ].join('|'),
  'u',
);

/** UTF-8 that is read as Windows-1252: `Ã¼l`. */
const doubled = new RegExp(String.raw`Ã[^\p{L}\s\u0000-\u007f][${small}]|ÃŸ[${small}]`, 'u');

/** Words that are looked at. */
const SAMPLE = 100_000;

/**
 * Whether a text that was read as Windows-1252 is in western European languages. Of the words with letters beyond ASCII, a
 * few may look foreign.
 */
export function isWestern(text: string): boolean {
  if (doubled.test(text)) return false;
  let [all, strange] = [0, 0];
  for (const [word] of text.matchAll(/[\p{L}\u0080-\u009f\u00a1-\u{ffff}]+/gu)) {
    if (/^[a-z]*$/i.test(word)) continue;
    all += 1;
    if (all > SAMPLE) break;
    if (foreign.test(word)) strange += 1;
  }
  return strange * 10 < all || strange === 0;
}
