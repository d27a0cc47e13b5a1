/** What people and programs write around numbers, in the languages of the pages and in some others. */

const anyOf = (words: string) => words.trim().split(/\s+/).join('|');
/** Any of these words by itself; digits may follow. */
const word = (words: string) => String.raw`(?<![\p{L}\d])(?:${anyOf(words)})(?!\p{L})`;

const extensionWords =
  word(`ext extn extension app apparat dw durchwahl nst nebenstelle klappe poste toestel tst
  interno int anexo anx extensión ramal intern mellék доб добавочный שלוחה 分机 內線 内線 내선`);

/** Behind more digits than a number of a PBX has. */
const afterNumber = String.raw`(?<=(?:\d[\s()./-]*){6})`;

/** `ext. 12`, `x12`, `#12`, `,,12`, `,12`, `p12` behind a number: dialled when a switchboard has answered. */
const extension = new RegExp(
  [
    String.raw`${afterNumber}[,\s]{0,3}\(?\s*(?:${extensionWords}|[x转轉])[\s.:=#/-]{0,5}\d{1,7}[*#]*(?!\d)\s*\)?`,
    String.raw`${afterNumber}(?:#|,{2,}|[,;]?[pw])[,pw\s]*\d{1,7}[*#]*(?!\d)`,
    // A single comma can also be followed by the next number.
    String.raw`${afterNumber},[1-9*]\d{0,3}[*#]*(?=\s*(?:$|[,;|\n@]))`,
    String.raw`(?<=\d)[pw]+(?=\s*$)`,
  ].join('|'),
  'giu',
);

export const labels =
  word(`tel telefon telefono teléfono telefone telefoon telephone téléphone tél telefonnummer telefoonnummer
  telnr tlf tlfno tfno tfn phone phonenumber fon ph ruf rufnummer number numbers nummer nummern nr numéro número num
  mob mobil mobile mobiel móvil movil mobiltelefon mobilfunk handy handynummer cell cellphone cellular celular gsm portable
  fixe fijo vast festnetz festnetznummer landline fax telefax faxnummer
  privat private privé prive privado privada particular home zuhause thuis domicile casa
  geschäftlich geschaeftlich dienstlich beruflich gesch büro buero office bureau oficina kantoor work arbeit arbeits travail trabajo werk
  zentrale main switchboard standard centrale central hauptnummer haupt direkt direct directe directo dienst firma company
  whatsapp signal sms notfall emergency sip sips callto skype`);
/** Of other numbers, and the ground floor and the basement; some are codes of countries, too. */
const notes = word('id kd plz ref eg ug og dg');
const anyLabel = new RegExp(`^(?:${labels}|${extensionWords}|${notes})$`, 'iu');
/** True for a word that says what a number is for, or where its telephone is: `PH`, `APP`, `EG`. */
export const isLabel = (text: string): boolean => anyLabel.test(text);

/** Stands for a label. Digits beside it may count: `Tel. 2`. */
export const LABEL = '\ue001';
const label = new RegExp(`${labels}[\\s.:/=)]*|(?<![\\p{L}\\d])\\p{L}[:.](?=\\s*[+(\\d])`, 'giu');

/** `Kd.-Nr. 1234567`: a number that is not dialled. */
export const otherLabel =
  /(?<![\p{L}\d])(?:(?!(?:tel|telefon|phone|fon|ruf|rufnummer|mobil|mobile|handy|fax|telefax|fest|festnetz|haupt|privat|cell)\b)\p{L}+\.?\s?-\s?(?:nr|nummer|no|number|num|numéro|número|id)|(?:kd|kunden?|kundennr|customer|client|cliente|klant|account|konto|ref|id|plz)(?:\.?\s?(?:nr|nummer|no|number|num))?)(?!\p{L})[.:#\s]*\d[\d./-]*(?!\d|@)/giu;

const codes =
  word(String.raw`\p{L}*vorwahl vorw \p{L}*kennzahl (?:area|country|city|dial(?:l?ing)?|std)\W?code prefix
  préfixe indicatif prefijo prefixo prefisso indicativo kengetal netnummer landnummer ddd код`);
const labelledCode = new RegExp(String.raw`${codes}[^\p{L}\d]*\d`, 'iu');
/** True for a text that gives the code of an area or a country apart: `Vorwahl 030 Telefon 901820`. */
export const givesCodeApart = (text: string): boolean => labelledCode.test(text);

/** Each stands for the label of a number at which the person is not called. */
const FAX = '\ue000';
const PAGER = '\ue002';
const ASSISTANT = '\ue003';
/** Of a number that is wrong, or was the person's. */
const FORMER = '\ue004';
const notCalledMark = new RegExp(`[${FAX}${PAGER}${ASSISTANT}${FORMER}]`);
/** Whether a label says that the person is not called at the number beside it: a fax, a pager, an assistant's telephone. */
export const isNotCalled = (item: string): boolean => notCalledMark.test(item);
/** Whether it says that the number is wrong, or was the person's. */
export const isFormer = (item: string): boolean => item.includes(FORMER);
/** The item as people can read it. */
export const withLabels = (item: string): string =>
  item
    .replaceAll(FAX, 'Fax')
    .replaceAll(PAGER, 'Pager')
    .replaceAll(ASSISTANT, 'Assistant')
    .replaceAll(FORMER, '')
    .replace(/\s+/g, ' ')
    .trim();

const oneOf = (words: string) => `(?:${anyOf(words)})`;
const faxWords = `(?:(?:e-?|tele|privat|dienst|haupt|zentral|b(?:ü|ue)ro|firmen|gesch(?:ä|ae)fts)?(?:fax|faks)(?:nummer|nr|number|num|no|ger(?:ä|ae)t|anschluss|anschluß|e?s)?|t[ée]l[ée]copie(?:ur)?|facsimil[eé]|tfx|факс|φαξ)`;
const pagerWords =
  oneOf(`pagers? beeper piepser funkruf funkrufempfänger cityruf bip(?:p?eur) radiomessagerie telex télex
  teletype tty tdd buscapersonas buscas? localizador semafoon pieper cercapersone`);
const assistantWords =
  oneOf(`assistent(?:in|en|innen|e|es|i)?(?:[/*:_-]+in)? assistenz l?assistant(?:s|es?)? asst
  asistentes? ayudantes? sekretärin sekretaerin secretary secrétaire secretaria secretaresse segretari[ao]`);

/** A telephone all the same: `Tel. + Fax`, `kein Fax`. */
const calledWords =
  /(?<!\p{L})(?:tel(?!e?[fk]a[xk]|ex|[eé]?cop)|tél(?!écop|ex)|ph(?:one)?(?!\p{L})|telephone|fon|mob|móv|mov|handy|cell|cel(?!\p{L})|gsm|port|festnetz|rufn|kein|keine|no|not|non|nicht|pas|geen|ohne|sans|sin|without)/iu;

/** `alone`: only if nothing else is said, so that `F. Meier` is a person; `always`: `Telefon Assistent` is not the person's, either. */
const marks: readonly (readonly [mark: string, words: string, when?: 'alone' | 'always'])[] = [
  [FAX, faxWords],
  [FAX, '(?:fx|f|ф|φ)', 'alone'],
  [PAGER, pagerWords],
  [ASSISTANT, assistantWords, 'always'],
];
/** Of where it is, behind the word: `Fax Büro 040 123456`. */
const place =
  oneOf(`nr no n nummer number num numéro número büro buero office bureau oficina kantoor work arbeit travail trabajo
  werk privat private privé privado particular home zuhause thuis domicile casa geschäftlich geschaeftlich dienstlich beruflich
  business zentrale standard main haupt phone telefon phone teléfono`);
/** Text that is no number and none of the marks between numbers. */
const [near, nearBrackets] = ['[^\\d+,;|\\n]{0,40}?', '[^()\\d]{0,40}'];

const notCalled = marks.map(([mark, words, when]) => {
  const ownWord = `(?<!\\p{L})${words}(?!\\p{L})`;
  return {
    mark,
    when,
    has: new RegExp(when === 'alone' ? `^s*${words}[s.:]*$` : ownWord, 'iu'),
    // Not `Tel/Fax: 030 901820`, which is both.
    before: new RegExp(
      `(?<!\\p{L}|\\p{L}\\.?\\s*[/&+]\\s*|\\b(?:und|u\\.?|and|et|en|y|e|ou|oder|or)\\s+)${words}(?<tail>(?!\\p{L})(?:\\s*|${near}))(?=[+(\\d])`,
      'giu',
    ),
    behind: new RegExp(
      `(?<=\\d[\\s.:=>→-]*(?:(?:ist|is|est|es)\\s+)?)(?:${oneOf('büro home work business privat private office')}[\\s-]*)?${words}(?!\\p{L})\\.?(?<tail>${near})(?=\\s*(?:$|[,;|\\n]))`,
      'giu',
    ),
  };
});

/** In brackets, with a count at most: `040 123456 (Fax 2)`. */
const inBrackets = new RegExp(`\\((${nearBrackets}\\d?[^()\\d]{0,3})\\)[\\s.:]*`, 'gu');
/** What is said of a number by a label that says that the person is not called at it; undefined for any other. */
export const notCalledAs = (label: string): string | undefined => {
  if (formerWord.test(label)) return 'wrong';
  const mark = markIn(label);
  return mark && withLabels(mark);
};
const markIn = (label: string): string | undefined =>
  notCalled.find(({ has, when }) => has.test(label) && (when === 'always' || !calledWords.test(label)))?.mark;
const placesOnly = new RegExp(`^(?:[\\s.:/=#'()>→-]*${place}(?!\\p{L}))*[\\s.:/=#'()>→-]*$`, 'iu');

/** `Fax; 040 123456`: a label in a field of its own, before the first number. */
const labelFirst = new RegExp(
  `^\\s*(?<label>${faxWords}|${pagerWords}|${assistantWords})[.:]?\\s*[,;|\\n]\\s*(?=[+(\\d])`,
  'iu',
);

/** `040 123456; Fax`: the same, behind the last number. With a colon, it is the label of a number that is missing. */
const labelLast = new RegExp(
  `(?<=\\d)\\s*[,;|\\n]\\s*(?=(?:${faxWords}|${pagerWords}|${assistantWords})[.!]?\\s*$)`,
  'iu',
);

/** A text with a mark in place of each label of a number at which the person is not called, on its side of the number. */
function withoutCalled(text: string): string {
  // `Assistent(in)`
  let marked = text
    .replace(labelFirst, '$<label>: ')
    .replace(labelLast, ' ')
    .replace(/(?<=\p{L})\((?:in|e)\)/giu, '')
    .replace(inBrackets, (whole, label: string, at: number, all: string) => {
      const mark = markIn(label);
      if (mark === undefined) return whole;
      if (/\d\s*$/.test(all.slice(0, at))) return ` ${mark},`;
      return /^[+(\d]/.test(all.slice(at + whole.length)) ? `,${mark} ` : whole;
    });
  for (const { mark, when, before, behind } of notCalled) {
    const isSaid = (tail: string) => when === 'always' || (when !== 'alone' && !calledWords.test(tail));
    const tailOf = (match: unknown[]) => (match.at(-1) as { tail: string }).tail;
    marked = marked
      .replace(before, (whole: string, ...match) => {
        const tail = tailOf(match);
        const isLabel = /[:=]\s*$/.test(tail) || when === 'always';
        return placesOnly.test(tail) || (isLabel && isSaid(tail)) ? `,${mark} ` : whole;
      })
      .replace(behind, (whole: string, ...match) => {
        const tail = tailOf(match);
        return tail.trim() === '' || isSaid(tail) ? ` ${mark},` : whole;
      });
  }
  return marked;
}

const numberNoun =
  '(?:n[°ro]|nummer|num(?:ber|[eé]ro)?|tel(?:efon|[eé]fono|ephone|efoon)?|tél(?:éphone)?|phone|mobile|portable|handy|móvil)';
/** In the languages of the pages; apostrophes are gone (see as-typed.ts). */
const formerWord = new RegExp(
  `(?<!\\p{L})(?:${[
    'falsch(?:e[rsn]?)?|ung(?:ü|ue)ltig(?:e[rsn]?)?|nicht (?:mehr|g(?:ü|ue)ltig|vergeben|korrekt|richtig|aktuell)',
    '(?:stimmt|geht|gilt|existiert|funktioniert) nicht|kein anschluss|veraltet(?:e[rsn]?)?|ehemal(?:s|ige?[rsn]?)|vormals',
    `fr(?:ü|ue)her(?:e[rsn]?)?|geh(?:ö|oe)rt jetzt|gek(?:ü|ue)ndigt|abgemeldet|abgeschaltet|stillgelegt|alte ${numberNoun}`,
    'wrong|incorrect|invalid|disconnected|no longer|not (?:valid|working|correct|current|active|in (?:use|service))',
    'out of (?:service|date)|outdated|obsolete|defunct|former(?:ly)?|do(?:es)?(?: not|n.?t) (?:use|work|exist)',
    `(?:now )?belongs to|old ${numberNoun}`,
    'faux|fausse|erron[ée]e?|incorrecte|invalide|(?:plus|non|pas) (?:valable|valide|attribuée?|utilisée?|en service)',
    `hors service|résiliée?|obsolète|périmée?|n.?est plus|ancien(?:ne)? ${numberNoun}|appartient (?:désormais|maintenant|à)`,
    'fals[oa]|equivocad[oa]|err[óo]ne[oa]|incorrect[oa]|inv[áa]lid[oa]|no (?:v[áa]lid[oa]|existe|vale|funciona)|ya no',
    `fuera de servicio|desconectad[oa]|obsolet[oa]|dad[oa] de baja|${numberNoun} (?:antiguo|anterior)|(?:antiguo|anterior) ${numberNoun}`,
    '(?:pertenece ahora|ahora pertenece|ahora es de)',
    'fout(?:ieve?|e)?|verkeerde?|onjuiste?|ongeldige?|niet (?:meer|geldig|correct|in gebruik)|buiten gebruik|vervallen',
    // `Alt.` is another one in English.
    '(?:old|ancien(?:ne)?|antigu[oa]|viej[oa]|anterior|oude?)(?=\\s*[:=)])',
    `voormalige?|opgeheven|afgesloten|verouderde?|oude? ${numberNoun}|hoort nu bij|is nu van`,
  ].join('|')})(?!\\p{L})`,
  'iu',
);
const [oldWord, newWord, negation, instead] = [
  'alte?[rs]?|bisher(?:ige?)?|old|ancien(?:ne)?|antigu[oa]|viej[oa]|anterior|oude?',
  'neue?[rs]?|jetzt|new|now|nouveau|nouvelle|maintenant|nuev[oa]|ahora|nieuwe?',
  'nicht|not|pas|niet|no es',
  'sondern|but|mais|sino|maar|stattdessen',
].map((words) => `(?<!\\p{L})(?:${words})(?!\\p{L})`);
const anyNumber = String.raw`[+(]?(?:\d[\s()./-]*){6}`;
const former = {
  oldOrNew: new RegExp(`\\(?\\s*(?:(?<old>${oldWord})|${newWord})[\\s.:=]*\\)?`, 'giu'),
  both: new RegExp(`${oldWord}.*${newWord}|${newWord}.*${oldWord}`, 'isu'),
  negated: new RegExp(`${negation}[\\s:]*(?=${anyNumber})`, 'giu'),
  instead: new RegExp(instead ?? '', 'giu'),
  inBrackets: new RegExp(`[\\s,;|]*\\((?=[^()]*${formerWord.source})(?!(?:[^()]*\\d){6})[^()]*\\)`, 'giu'),
  between: new RegExp(`(?<=\\d\\s*)${formerWord.source}\\s*(?=${anyNumber})`, 'giu'),
  before: new RegExp(`${formerWord.source}${near}(?=${anyNumber})`, 'giu'),
  behind: new RegExp(`(?<=\\d)\\s*[,;|\\n]?${near}${formerWord.source}${near}(?=\\s*(?:$|[,;|\\n]))`, 'giu'),
};

/** The text with a mark in place of what says that a number is wrong, or was the person's: `alt: 0171 3920000 neu: 0171 3920001`. */
function withoutFormer(text: string): string {
  if (!/\p{L}/u.test(text)) return text;
  let marked = text;
  if (former.both.test(text)) {
    const areBehind = text.search(/\d/) < text.search(former.oldOrNew);
    marked = marked.replace(former.oldOrNew, (...match) => {
      const mark = (match.at(-1) as { old?: string }).old === undefined ? '' : FORMER;
      return areBehind ? ` ${mark},` : `,${mark} `;
    });
  }
  const negated = marked.replace(former.negated, `,${FORMER} `);
  if (negated !== marked) marked = negated.replace(former.instead, ',');
  if (!formerWord.test(marked)) return marked;
  return marked
    .replace(former.inBrackets, (_, at: number) =>
      /\d/.test(marked[at - 1] ?? '') ? ` ${FORMER},` : `,${FORMER} `,
    )
    .replace(former.between, ` ${FORMER},${FORMER} `)
    .replace(former.before, `,${FORMER} `)
    .replace(former.behind, ` ${FORMER},`);
}

const or = new RegExp(
  `(?<=[\\s)])(?:${anyOf('oder or ou of o und and et en y e u bzw resp sowie &')})\\.?(?=[\\s(])|\\+(?=\\s+0)`,
  'giu',
);

/** Before a number in a list: `1) 030 90186`, not `(06 1) 492 9664`; `bare`: before one without a 0, `2) 347 1234567`. */
const enumeration = new RegExp(
  String.raw`(?<=(?<start>(?:^|[,;\n|${LABEL}])\s*)|\s)(?<!\([\d ]{0,4})(?<count>[1-9]\d?)[.):](?:\s*(?=${LABEL})|\s+(?=[+(0])|(?<=[):])(?<bare>\s+)(?=[1-9]))`,
  'g',
);

/**
 * The counts before the numbers of a list, left out: at its beginning, and where each is one more. Any other may be the end
 * of the number before it: `030 90185 2. 030 90186`.
 */
function uncounted(text: string): string {
  let last: number | undefined;
  return text.replace(enumeration, (...match) => {
    const { start, count, bare } = match.at(-1) as { start?: string; count: string; bare?: string };
    const isNext = Number(count) - 1 === last;
    const isCounted = bare === undefined ? start !== undefined || isNext : isNext || count === '1';
    if (bare !== undefined && !isCounted) return `${match[0]}`;
    if (isCounted) last = Number(count);
    return isCounted ? ',' : `${match[0]}${LABEL}`;
  });
}

/** In brackets: `(privat)`; with digits only behind a number: `(2. Stock)`, but not `(Berlin 030) 901820`. */
const comment = new RegExp(
  String.raw`\((?=[^()]*\p{L})[^()\d]*\)|${afterNumber}\((?=[^()]*\p{L})(?!(?:[^()]*\d){6})[^()]*\)(?![\s./-]*[1-9])`,
  'gu',
);

/** A text with a comma or a mark in place of everything that stands between numbers. */
export function separated(text: string): string {
  const labelled = withoutCalled(withoutFormer(text.replace(extension, ',')))
    .replace(comment, ' ')
    .replace(label, LABEL)
    .replace(or, ',');
  return uncounted(labelled);
}

/** Those of HTML that people paste with a number. */
export const tags = /<\/?(?:a|br|p|div|li|td|b|i|u|em|small|font|span|strong)\b[^<>\n]*>/gi;

/** The parameters of a SIP or tel address, RFC 3261 and 3966, are no numbers; the name before one in brackets neither. */
export function addressesOf(text: string): string {
  const bare = text.includes('<')
    ? text.replace(tags, '\n').replace(/(?<=^|[,;|\n])(?:\s*"[^"\n]*")?[^<>,;|\n]*<([^<>\n]*)>/g, '$1')
    : text;
  return bare
    .replaceAll('"', '')
    .replace(/;\s*[a-z][a-z-]*=[^;,|\s<>@]*|;(?:lr|ob|gr|npdi)(?![\p{L}\d])/giu, '')
    .replace(/\?[a-z][\w.]*(?:=[^\s;,|]*)?/gi, '');
}

const fillers = new Set(
  anyOf(`na ka nv nd nc np sn null nil none nan undefined empty leer vide vacío vacio leeg x xx xxx false
    unbekannt unknown inconnu inconnue desconocido desconocida onbekend keine keiner kein keines keineangabe keinenummer
    keintelefon nichtangegeben nichtvorhanden nichtbekannt geen geentelefoon geennummer nvt aucun aucune ninguno ninguna
    notavailable notapplicable notprovided nophone nonumber sinnúmero sintelefono sinteléfono sansnuméro nonrenseigné
    anonymous anonym anonyme anónimo anoniem withheld restricted hidden blocked suppressed unterdrückt private privatenumber
    no nein non nee ohne sans sin without tbd tba folgt entfällt`).split('|'),
);

/** In characters. */
const LONGEST_FILLER = 200;

/** True for what is written where there is no number: `-`, `n/a`, `k. A.`, `unbekannt`, `anonymous`. */
export function isFiller(text: string): boolean {
  if (text.length > LONGEST_FILLER) return false;
  const letters = text.toLowerCase().replace(/[^\p{L}\p{M}\p{N}]+/gu, '');
  return (letters === '' && !text.includes('##')) || fillers.has(letters);
}
