const capital = String.raw`A-Z\u00c0-\u00d6\u00d8-\u00deŠŒŽŸ`;
const small = String.raw`a-z\u00df-\u00f6\u00f8-\u00ffšœž`;
const letter = `[${capital}${small}]`;
const vowel = 'aàáâãäåæeèéêëiìíîïoòóôõöøœuùúûüyýÿ';

/** What no word of a western European language has, but many a word of another encoding that is read as Windows-1252. */
const foreign = new RegExp(
  [
    // Bytes that stand for nothing; and the florin sign.
    String.raw`[\u0080-\u009fƒ]`,
    // Symbols between letters: `Stra§e` of a Macintosh, `K”ln` of DOS. Apostrophes, dashes and the like can be there.
    `${letter}[^${capital}${small}’‘´–—·…\u00ad²°®©™]+${letter}`,
    `(?![AEIOU])${letter}(?<![aeiou])‘(?!(?:s|t|n|ll|m|d)(?:$|[‘’]))[bdfghjklmnprstvwxz]`,
    `${letter}[–—](?:oz|ez|a|o|as|os|n|pez|mez)$`,
    // `£ukasz` and `Pawe³` of eastern Europe, `™zil` and `Andr‚` of DOS.
    `^[£€¥¤¢¯³¹¼½¾×÷¦¨¸¬¶§±ªº©®][${small}]|^[¯¼¾¦ªº™]${letter}`,
    `${letter}{3}[£¥¤¢¯³¹¼¾¦¨¸¬¶¿¡§]$|${letter}{4}[ªº]$|${letter}[‚ˆ‰†‡‹”]$|^‚[${small}]`,
    // `5 ¤` and `´ák` of ISO-8859-15, `©»astný` of ISO-8859-2, `†bersee` and `Hš§` of a Macintosh; symbols only: `ˆ¢` of DOS, `—é–Ø` in Japan.
    `¤|^´[aeiouáéíóú][${small}]*$|^[©®]»?[${small}]|^†[${small}]|[šŠŸ]§|[€‚ˆ‰†‡‹][¢£¥¦¨©ª«¬®¯°±]|^[–—][À-ÿ][–—]`,
    // `No‘l`, `Zo‘` and `Citro‘n` of a Macintosh; `šnal` of DOS, `MÏller` of HP.
    `${letter}[ao]‘l(?:$|[ae])|o‘n(?:$|[ae])|[lLzZ]o‘$|^š[bcdfghlmnrz]|[${capital}]Ï[${small}]`,
    // `Garc’a`, `Mart’nez`, `Niccol˜`, `Dani‘lle`, `î Briain`, `Krak—w` of a Macintosh; `Niccol•` of DOS.
    `${letter}[bcdfghjklmprstvxz]’(?:as?|nez|guez)$|${letter}{2}[˜•]$|i‘ll?e?$|^î$`,
    `[${small}]—w$|[${capital}][${small}]?—(?:rs[kc]|jci|rna|rny)`,
    // `JoÆo` of DOS; `RenŽ` and `MŸller` of a Macintosh.
    `[${small}][ÆŠŒŽŸ]`,
    `[${capital}][ŠŒŽŸ][${small}]`,
  ].join('|'),
  'u',
);

/** The same, whether in capitals or not. */
const foreignLetters = new RegExp(
  [
    // Cyrillic, Greek, Hebrew, Chinese: whole words. Not `ÅÄÖ`.
    String.raw`^(?![äöüßåæøéèà]+$)[\u00df-\u00f6\u00f8-\u00ff]{3,}$|(?![äöüßåæøéèà]{4})[\u00df-\u00f6\u00f8-\u00ff]{4}`,
    // `Kšnig` of a Macintosh, `Weiá` and `Kreáe` of DOS; not `Jaraguá`.
    'š(?:[bdfghrs]|ll|t[tz]|c[hk]|nig|nn|mm)|ršm|^ž(?:rz|[hpf])',
    // `Wiœniewski`, `Kamiñski`; `Fañch` is Breton.
    '[aeiouy]œ|^œ[lwkz]|ñ(?:[bdfghjklmnpqrtvwxz]|sk|c(?!h))|(?<!a)ñ$',
    '(?:(?<!^el)o|(?<!g)u|[äöü]|ei|[hr]a|^[hkn]e|re)á$|[aeiou]áe|eiá|oám',
    // `Szõke` and `Hegedûs`. In Portuguese an `e` follows on õ; most of what is before or behind û is French.
    '(?<!^v)õ(?!e)',
    '(?<![aeo]|br|cr)û(?!(?<=bû)ch|(?<=dû)(?:$|e|m)|(?<=[ms]û)r|(?<=fl?û)t|(?<=^rû)$)',
    // `Lazãr` and `Bãlan`; `MÃ¼ller`, which is UTF-8.
    'ã(?![oei]|s?$|zinh|ment)|cã$|ãil',
    // `Kuèera`, `Èerný`, `Kovaè`, `Zupanèiè`, `Potoènik`. In French one consonant follows, or in Italian nothing.
    `è[${vowel}]|aè(?!l)|(?<!p)iè$|^è(?!ve|ze|re|$)|oè(?![lmts]|$)|(?<![gqsd])uè(?!s$)|eè|è[kj]`,
    // `Nìmec`, `Rùžièka`, `Vaòková`: in Italian at the end only. `Bình` and `Hùng` are Vietnamese.
    'ì(?!nh)[a-zß-ÿšž]|ù(?!ng)[a-zß-ÿšž]|[ai]ò(?=[a-zß-ÿšž])|[òð]$(?<=[òîìç][a-z]?[òð])|iòð',
    // `Kuèerová` and `Petroviæ`: letters of different languages in one word; `Ïurica`, `Æwiek`.
    `(?=[a-zß-ÿšž]*[èìòùø])(?=[a-zß-ÿšž]*[áíúýšž])[a-zß-ÿšž]`,
    'iæ$|viæ|^æw|^ï',
    // `Bçrziòð` and `Kazlauskienë`.
    '(?:^|[bdfghjklmpqstvwxz])ç[bcdfghjkmnpqrstvwxz]|(?<!bront)(?<=[bcdfghjklmnpqrstvwxz])ë$',
    // `Ðimkus`, `Mikðys`, `Þukauskas`, `Þahin`, `Güneþ`: Icelandic has ð behind a vowel, r, g or f, and few syllables begin with þ.
    '^ð|[^aáeéiíoóuúyýæörgf]ð|þ(?![ríóöúy]|ý[sðrj]|o[rk]|ur[iíý]|urr|ura$|ula|ek|j[óoaáöu]|engill|ið|in[sug]|al[ií]|ang|ver|e(?:ba|yr|ó))',
    // `Doðan`, `Uður`; `Âdams` of Latvia.
    'oðan(?!n)|oðlu|^uðu|tuðb|aðc|^[dy]að(?:$|l)|^â[bdfhjklqrsvwxz]',
    // `Yýldýz`, `Aydýn`, `Balcý`, `Ýbrahim`.
    `yý|ý${letter}*ý|a[a-z]{1,3}ý[nkmz]$|a[a-z]*cý$|^a[a-z]{1,2}ý[kln]|^ý(?!m|r|ja|d[au]|t|f|s[ae])`,
    `(?=${letter}*[ýþð])(?=${letter}*[çü])${letter}`,
  ].join('|'),
  'u',
);

/** Letters, and symbols that may stand for some. What is behind a digit (`2ªPlanta`, `20€Gutschein`), or in `MªCarmen`, stands for itself. */
const words = /(?:\d[ªº°€£§]+|(?<!\p{L})Mª)?([\p{L}\u0080-\u009f\u00a1-\u{ffff}]+)/gu;

/** In quotation marks, which can also be letters of other encodings. */
const quoted = /(?<!\p{L})(?:[„“”»«]([^„“”»«]{0,300})[“”»«]|‚([^‚‘’]{0,300})[‘’])/gu;

/** Words that are looked at. */
const SAMPLE = 100_000;
/** A longer one is no word, and some of the patterns look at the rest of it from each of its letters. */
const LONGEST = 100;
/** Words that are named. */
const NAMED = 5;

/**
 * Words of a text, read as Windows-1252, that no western European language has: the first few, each once. If there is one,
 * the text is in another encoding, or the encoding is unclear.
 */
export function foreignWords(text: string): string[] {
  const found = new Set<string>();
  let seen = 0;
  for (const [, word = ''] of text.replace(quoted, ' $1$2 ').matchAll(words)) {
    if (word.length > LONGEST || /^[a-z]*$/i.test(word)) continue;
    seen += 1;
    if (seen > SAMPLE || found.size === NAMED) break;
    if (foreign.test(word) || foreignLetters.test(word.toLowerCase())) found.add(word);
  }
  return [...found];
}
