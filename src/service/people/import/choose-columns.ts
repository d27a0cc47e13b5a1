import { asTyped } from '../../../shared/phone-number/as-typed.ts';
import { countryOf } from '../../../shared/phone-number/country-names.ts';
import { normaliseNumber, numberForms } from '../../../shared/phone-number/normalise-number.ts';
import { isFiller } from '../../../shared/phone-number/number-words.ts';
import { readNumbers } from '../../../shared/phone-number/read-numbers.ts';
import { plainText } from '../../rules/plain-text.ts';
import { languages } from '../../words/words.ts';
import { type CustomerField, codeFields, columns, customerFields } from '../customer-fields.ts';
import { textIn } from './blank-cells.ts';
import {
  type Meaning,
  meaningOf,
  type NamePart,
  namePartOf,
  namesCountries,
  whoseName,
  withoutTelephoneWords,
} from './header-words.ts';
import { nameOfLine } from './line-name.ts';
import { evenly } from './sample-rows.ts';

/** What a column of a table can hold: a field, or the country of the numbers in its line. */
export const columnUses = [...columns, 'country'] as const;
/** `spare-name`: a name that counts where the line has no better one, or says something else. */
export const chosenUses = [...columnUses, 'spare-name'] as const;
export type ColumnUse = (typeof chosenUses)[number];

/** What each column of a table holds; '' for nothing that is read. */
export type Mapping = readonly (ColumnUse | '')[];

/** The share of a column's cells that says what it holds. */
const MOST = 0.5;
/** Extensions and counts have fewer digits. */
const SHORTEST_NUMBER = 6;
/** Of a number without its 0, in almost every country. */
const LONGEST_NATIONAL = 11;
/** Characters that are looked at in all, and of one cell, so that a wide table costs no more than one of many lines. */
const [MAX_CHARACTERS, OF_CELL] = [32 * 1024, 100];

/**
 * The columns of somebody's own table: by the words of their headers, and by what their cells look like. Only telephones whose
 * header surely says that they are the customer's are chosen; whoever imports the table decides about others (see
 * leftOutTelephones). A table that does not name its columns ('') leaves it to the cells. `sample`: some lines of the table.
 */
export function chooseColumns(
  header: readonly string[],
  sample: readonly (readonly string[])[],
  country: string | null,
): Mapping {
  const end = endOfFirstBlock(header);
  if (end < header.length)
    return [
      ...chooseColumns(header.slice(0, end), sample, country),
      ...header.slice(end).map(() => '' as const),
    ];
  const rows = fewOf(sample);
  const all = header.map((text, index): Column => {
    const cells = rows.map((row) => row[index] ?? '');
    const meaning = meaningOf(text);
    return {
      index,
      header: text,
      own: meaning === 'full' ? undefined : ownField(text),
      isCountry: namesCountries(text) && areCountries(cells),
      isNamed: /\p{Script=Latin}/u.test(text),
      meaning,
      part: namePartOf(text, meaning),
      cells,
      about: describe(cells.filter(saysSomething), country),
    };
  });
  const chosen = new Map<number, ColumnUse>();
  const choose = (field: ColumnUse, some: readonly Column[]) => {
    for (const { index } of some) chosen.set(index, field);
  };
  const leftOut = telephonesOfOthers(all);
  const isFree = (one: Column) => !chosen.has(one.index) && !leftOut.has(one);
  const isOf = (...meanings: Meaning[]) => all.filter((one) => isFree(one) && meanings.includes(one.meaning));

  // What other programs call blocked may be any of it, such as deliveries.
  const isOurs = columns.every((name) => header.some((text) => ownField(text) === name));
  for (const one of all)
    if (one.own && !(one.own in codeFields && !isOurs) && !(one.own === 'reference' && isCheckBox(one)))
      chosen.set(one.index, one.own);
  const isChosen = (field: CustomerField) => [...chosen.values()].includes(field);
  choose(
    'country',
    all.filter((one) => isFree(one) && one.isCountry),
  );
  choose('numbers', telephones(isOf('numbers')));
  choose(
    'numbers',
    isOf('place-number', 'contact-number').filter(({ about }) =>
      about.count === 0 ? isChosen('numbers') : about.dialledOrShort() >= MOST,
    ),
  );
  // Digits that begin with 0 can be a key as well.
  const isWritten = (one: Column) =>
    holdsTelephones(one) && (!one.isNamed || !one.cells.every((cell) => /^\p{Nd}*$/u.test(cell)));
  choose('numbers', isOf('key').filter(isChosen('numbers') ? isWritten : holdsTelephones));
  if (!header.some(Boolean)) choose('numbers', all.filter(holdsTelephones));
  for (const one of isOf('unknown', 'alias', 'display', 'reference').filter(isWritten)) leftOut.add(one);
  if (!isChosen('reference')) choose('reference', reference(isOf));
  if (!isChosen('name')) {
    choose('name', names(isOf));
    choose('spare-name', isOf('full', 'display', 'alias', 'company', 'customer').filter(isWorded));
  }
  if (!isChosen('segment')) choose('segment', isOf('segment').filter(holdsGroups).slice(0, 1));
  return header.map((_, index) => chosen.get(index) ?? '');
}

const ofNames: readonly Meaning[] = ['given', 'family', 'full', 'company', 'display', 'customer'];
const ofNumbers: readonly Meaning[] = ['numbers', 'perhaps-numbers', 'place-number', 'contact-number', 'key'];

/**
 * Where the second block of columns begins, if the table has several customers in a line, as printed lists have: `Name;Telefon;;Name;Telefon`.
 * Where the line has a key or a company of its own, all blocks are of one customer.
 */
function endOfFirstBlock(header: readonly string[]): number {
  const named = [...header.keys()].filter((column) => header[column]);
  const bases = named.map((column) => header[column]?.toLowerCase().replace(/[\s._-]*\d+$/, ''));
  const size = bases.indexOf(bases[0], 1);
  const isRepeated =
    size > 1 && bases.length % size === 0 && bases.every((base, at) => base === bases[at % size]);
  const meanings = named.slice(0, size).map((column) => meaningOf(header[column] ?? ''));
  const hasBoth = [ofNames, ofNumbers].every((some) => meanings.some((meaning) => some.includes(meaning)));
  return isRepeated && hasBoth ? (named[size] ?? 0) : header.length;
}

/** As many of the lines as there is time for, from everywhere. */
function fewOf(sample: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const rows = sample.map((cells) => cells.map((cell) => cell.slice(0, OF_CELL)));
  const sizes = rows.map((row) => row.reduce((sum, cell) => sum + cell.length + 1, 0));
  const all = sizes.reduce((sum, size) => sum + size, 0);
  let left = MAX_CHARACTERS;
  return evenly([...rows.keys()], Math.ceil((rows.length * MAX_CHARACTERS) / all)).flatMap((at, nth) => {
    left -= sizes[at] ?? 0;
    return nth > 0 && left < 0 ? [] : [rows[at] ?? []];
  });
}

/** Not `-`, `n/a`, `unbekannt` and zeros: where cells say nothing else, the header decides alone. */
const saysSomething = (cell: string): boolean => textIn(cell) !== '' && !isFiller(cell) && !/^0+$/.test(cell);

type Column = {
  readonly index: number;
  readonly header: string;
  /** The field whose name or label the header is; that of names is called so in other tables, too. */
  readonly own: CustomerField | undefined;
  /** Whether it names countries, by its header and its cells. */
  readonly isCountry: boolean;
  /** Whether the header could say anything to us. */
  readonly isNamed: boolean;
  readonly meaning: Meaning;
  readonly part: NamePart | undefined;
  /** With the empty ones, so that columns can be compared line by line. */
  readonly cells: readonly string[];
  /** Those of its cells that say something. */
  readonly about: ReturnType<typeof describe>;
};

/** The field that pages and exports call so, in any language. */
function ownField(header: string): CustomerField | undefined {
  const text = header.toLowerCase();
  return columns.find(
    (name) =>
      name === text ||
      [...languages.values()].some((words) => customerFields[name].label(words).toLowerCase() === text),
  );
}

/** Not calling codes or states. */
function areCountries(cells: readonly string[]): boolean {
  const isCountry = (cell: string) => countryOf(cell) !== undefined;
  // Norway is `no`.
  const filled = cells.filter((cell) => isCountry(cell) || saysSomething(cell));
  return filled.filter(isCountry).length >= filled.length / 2;
}

/** What cells look like, each a share of them. */
function describe(cells: readonly string[], country: string | null) {
  const share = (is: (cell: string) => boolean) =>
    cells.length === 0 ? 0 : cells.filter(is).length / cells.length;
  return {
    count: cells.length,
    /** Whatever has a number in it, or had one before a spreadsheet rounded it. */
    readable: () =>
      share((cell) => {
        const { numbers, unread } = readNumbers(cell, country);
        return (
          numbers.some(isLong) || (unread.some(({ reason }) => reason === 'rounded') && !isNoNumber(cell))
        );
      }),
    /** Telephone numbers, written as such or behind labels. */
    telephone: () => share((cell) => isCalled(cell, country) || isLabelled(cell, country)),
    /** The share of those that are longer than extensions. */
    dialledOrShort() {
      const long = cells.filter((cell) => !isNoNumber(cell));
      return long.length === 0 ? 0 : long.filter((cell) => isCalled(cell, country)).length / long.length;
    },
    worded: share((cell) => /\p{L}/u.test(cell)),
    distinct: cells.length === 0 ? 0 : new Set(cells).size / cells.length,
  };
}

const isLong = (number: string) => number.replace(/\D/g, '').length >= SHORTEST_NUMBER;

/** Cells of a column with as many digits as numbers have that are looked at: enough to tell what it holds. */
const ENOUGH = 200;

const mayBeNumber = (cell: string) => cell.replace(/\P{Nd}+/gu, '').length >= SHORTEST_NUMBER;

export type LeftOutColumn = {
  readonly column: number;
  readonly line: number;
  readonly examples: ReadonlySet<string>;
};

/** Cells that are shown of a column, and characters of each. */
const [EXAMPLES, LONGEST_EXAMPLE] = [3, 40];

/** What some lines of a table have in a column, for whoever decides what it is. */
export function examplesOf(sample: readonly (readonly string[])[], column: number): ReadonlySet<string> {
  const texts = sample.values().map((cells) => plainText(cells[column] ?? '', LONGEST_EXAMPLE));
  const examples = new Set<string>();
  for (const text of texts.filter(Boolean)) if (examples.add(text).size === EXAMPLES) break;
  return examples;
}

/**
 * Finds the columns that are not imported although they may have the customers' telephone numbers, wherever in the table these are:
 * one number where the header speaks of telephones, else most cells with as many digits, also those whose 0 or plus a spreadsheet
 * has removed. Not those whose headers say that they hold something else, such as fax numbers.
 */
export function leftOutTelephones(header: readonly string[], mapping: Mapping, country: string | null) {
  const left = header.flatMap((name, column) => {
    const meaning = meaningOf(name);
    if ((mapping[column] || 'spare-name') !== 'spare-name' || meaning === 'none') return [];
    return [{ column, meaning, looked: 0, telephones: 0, line: 0, examples: new Set<string>() }];
  });
  const isSpoken = (meaning: Meaning) => meaning === 'numbers' || meaning === 'perhaps-numbers';
  const isNumber = (cell: string, meaning: Meaning) => {
    if (isSpoken(meaning)) return !otherNumber.test(cell) && readNumbers(cell, country).numbers.some(isLong);
    return cell.length <= OF_CELL && (isCalled(cell, country) || isCalledPerhaps(cell, country));
  };
  return {
    look(line: number, cells: readonly string[]): void {
      for (const one of left) {
        const { meaning } = one;
        const cell = cells[one.column]?.trim() ?? '';
        const isDecided =
          (isSpoken(meaning) && one.examples.size === EXAMPLES) ||
          (meaning !== 'numbers' && one.looked === ENOUGH);
        if (cell === '' || isDecided || !mayBeNumber(cell)) continue;
        one.looked += 1;
        if (!isNumber(cell, meaning)) continue;
        if (one.telephones === 0) one.line = line;
        one.telephones += 1;
        if (one.examples.size < EXAMPLES) one.examples.add(plainText(cell, LONGEST_EXAMPLE));
      }
    },
    /** Each with its first line, and some of its cells. */
    found: (): readonly LeftOutColumn[] =>
      left.filter(
        ({ meaning, looked, telephones }) =>
          telephones > 0 && (isSpoken(meaning) || telephones >= MOST * looked),
      ),
  };
}

/** A date, an address of a machine, or a number with decimals. */
const otherNumber =
  /^(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])$|^(\d{4}-\d\d?-\d\d?|\d\d?[./]\d\d?[./]\d{2,4})([ T].*)?$|^\d+[.,]\d\d?$|^\d+(\.\d+){3}$/;

function isTelephone(cell: string, country: string | null): boolean {
  const text = asTyped(cell).trim();
  if (otherNumber.test(text) || !/^[+(\d][\d\s()./-]*$/.test(text)) return false;
  const digits = text.replace(/\D/g, '');
  if (digits.length < SHORTEST_NUMBER || digits.length > 15) return false;
  const number = normaliseNumber(text, country);
  if (/^(\+|00)/.test(text)) return number.startsWith('+');
  // Where national numbers begin with 0, a number without it is a key of something.
  return country === null
    ? text.startsWith('0') && /\D/.test(text)
    : number.startsWith('+') && number !== `+${digits}` && numberForms(number).includes(digits);
}

/** A telephone number, also several or with words behind them: `030 901820 (privat)`. */
const isCalled = (cell: string, country: string | null) =>
  isTelephone(cell, country) || isDialled(cell, country);

/** The same behind words, and of digits whose 0 or plus a spreadsheet has removed. */
function isCalledPerhaps(cell: string, country: string | null): boolean {
  if (otherNumber.test(cell)) return false;
  if (/^[1-9]\d{6,}$/.test(cell))
    return (cell.length <= LONGEST_NATIONAL ? ['0', '+'] : ['+']).some((lost) =>
      isTelephone(`${lost}${cell}`, country),
    );
  return readNumbers(cell, country).numbers.some((number) => number.startsWith('+'));
}

/** `Tel. 030 901820` */
function isLabelled(cell: string, country: string | null): boolean {
  if (/^[^\p{L}]/u.test(cell) || meaningOf(cell) !== 'numbers') return false;
  const { numbers, unread } = readNumbers(cell, country);
  return unread.length === 0 && numbers.some(isLong);
}

/** Begins with a telephone number, or as only telephone numbers do. */
function isDialled(cell: string, country: string | null): boolean {
  const text = asTyped(cell);
  if (otherNumber.test(text)) return false;
  if (isTelephone(/^[+(\d][\d\s()./-]*\d/.exec(text)?.[0] ?? '', country)) return true;
  if (!/^(?:\+|00|\(?0\d*[\s()./-])/.test(text)) return false;
  const { numbers, unread } = readNumbers(cell, country);
  return unread.length === 0 && numbers.some((number) => number.startsWith('+'));
}

const answer = /^(?:x|y|n|j|ja|nein|yes|no|oui|non|s[ií]|nee|true|false|wahr|falsch|vrai|faux|waar|onwaar)$/i;

/** An answer to a question, an extension or a count. */
const isNoNumber = (cell: string) =>
  answer.test(cell) || (!/\p{L}/u.test(cell) && cell.replace(/\P{N}/gu, '').length < SHORTEST_NUMBER);

/**
 * Columns whose headers speak of telephones, without those whose cells do not: `yes`, `Work`, extensions. A few cells that
 * cannot be read stay, so that they are named.
 */
function telephones(named: readonly Column[]): readonly Column[] {
  const readable = new Map(named.map((column) => [column, column.about.readable()]));
  const isReadable = [...readable.values()].some((share) => share > 0);
  return named.filter((column) => {
    const { about, cells } = column;
    if (about.count === 0 || (readable.get(column) ?? 0) >= 0.1) return true;
    return cells.some((cell) => !isNoNumber(cell)) && !(isReadable && about.count >= 3);
  });
}

/**
 * Beside other telephones, those of people who have a column: `Commercial`, `Tél. commercial`. So is WooCommerce's
 * `shipping_phone`, if `shipping_last_name`, which is not read, is not the customer's in some line.
 */
function telephonesOfOthers(all: readonly Column[]): Set<Column> {
  const names = all.filter(({ meaning }) => ofNames.includes(meaning));
  const isStranger = ({ cells }: Column) =>
    cells.some((cell, row) => saysSomething(cell) && !names.some((one) => one.cells[row]?.includes(cell)));
  const personOf = (one: Column) => {
    if (one.about.worded < 0.5) return undefined;
    if (one.meaning === 'unknown') return one.header.toLowerCase();
    return one.meaning === 'none' && isStranger(one) ? whoseName(one.header) : undefined;
  };
  const people = new Set(all.map(personOf));
  const telephones = all.filter(({ meaning }) => meaning === 'numbers');
  const ofOthers = telephones.filter(({ header }) => people.has(withoutTelephoneWords(header)));
  return new Set(ofOthers.length < telephones.length ? ofOthers : []);
}

/** `Kundennr`, not `Reference`. */
const saysNumber = /num(?:ber|ero|mer)|(?:nr|no|num|id|code)\W*$/iu;
/** Whether several lines share an answer to a question; a number is none, although a table may have nothing but customer 1. */
const isCheckBox = ({ header, about, cells }: Column) =>
  !saysNumber.test(header.normalize('NFD').replace(/\p{M}/gu, '')) &&
  about.count > 0 &&
  about.distinct < 1 &&
  cells.every((cell) => /^[01]?$/.test(cell) || answer.test(cell));

/** Columns whose headers do not speak of telephones. */
const holdsTelephones = ({ about }: Column) => about.count > 0 && about.telephone() >= MOST;

/** The column with the account's own keys: named as such, else the first with a different key in each line. */
function reference(isOf: (...meanings: Meaning[]) => readonly Column[]): readonly Column[] {
  const named = isOf('reference', 'contact-number').filter(
    (one) => (one.about.count < 10 || one.about.distinct >= 0.1) && !isCheckBox(one),
  );
  const filled = (some: readonly Column[]) =>
    some.toSorted((a, b) => Number(b.about.count > 0) - Number(a.about.count > 0));
  const isKey = ({ about, cells }: Column) => about.count === cells.length && about.distinct === 1;
  const isCode = (column: Column) =>
    isKey(column) && column.cells.every((cell) => /^[\w./-]*\d[\w./-]*$/.test(asTyped(cell)));
  const unnamed = [
    ...isOf('customer').filter(isCode),
    ...isOf('key').filter(isKey),
    ...isOf('unknown').filter((column) => !column.isNamed && isCode(column)),
  ];
  const keys = [...filled(named), ...unnamed];
  // In a list of contacts, the key of their company is in several lines.
  return [keys[0]?.about.distinct === 1 ? keys[0] : (keys.find(isKey) ?? keys[0])].filter(
    (one) => one !== undefined,
  );
}

/** `Firma (ja/nein)`, Odoo's `is_company`: the answer to a question is nobody's name. */
const hasAnswers = ({ cells }: Column) => {
  const filled = cells.filter((cell) => textIn(cell) !== '');
  return filled.length > 0 && filled.every((cell) => answer.test(cell));
};

const isWorded = (column: Column) =>
  (column.about.count === 0 || column.about.worded >= 0.5) && !hasAnswers(column);

/** First and last names, companies, and what else is called a name; nothing twice. */
function names(isOf: (...meanings: Meaning[]) => readonly Column[]): readonly Column[] {
  const worded = (...meanings: Meaning[]) => isOf(...meanings).filter(isWorded);
  const isFilled = ({ about }: Column) => about.count > 0;
  const parts = [...worded('given', 'middle', 'family')];
  const full = worded('full');
  const has = (part: NamePart) => [...parts, ...full].some((one) => one.part === part);
  const unsure = worded('alias').filter(isFilled);
  const isHalf = () => !has('full') && has('given') !== has('family');
  // `Guest First Name`, where nothing else is a first name.
  for (const part of ['given', 'full', 'family'] as const) {
    const isLacking =
      part === 'full' ? isHalf() : !has(part) && !(has('full') && (has('given') || has('family')));
    const found = isLacking ? unsure.find((one) => one.part === part) : undefined;
    if (found) parts.push(found);
  }
  const others = [...full, ...worded('company'), ...worded('display', 'customer').filter(isFilled)];
  const candidates = [...parts, ...others].toSorted((a, b) => a.index - b.index);
  const inLine = nameOfLine(
    candidates.map(({ index, meaning, part }) => ({ index, meaning, part, isSpare: false })),
  );
  const cellsOf = new Map(candidates.map(({ index, cells }) => [index, cells]));
  const lines = Math.max(0, ...candidates.map(({ cells }) => cells.length));
  const used = new Set(
    Array.from({ length: lines }, (_, row) =>
      inLine((index) => textIn(cellsOf.get(index)?.[row] ?? '')),
    ).flat(),
  );
  // Of a person with a first and a last name, `Name` says nothing more, unless it is something else in a line.
  const some = candidates.filter((one) => parts.includes(one) || used.has(one.index) || !isFilled(one));
  if (some.some(isFilled)) return some;
  const last = [
    worded('display'),
    worded('alias'),
    worded('unknown').filter((column) => !column.isNamed && isFilled(column)),
  ];
  return [...some, ...(last.find((found) => found.length > 0) ?? []).slice(0, 1)];
}

/** A group has several customers, and each customer is in one. */
const holdsGroups = ({ about, cells }: Column) =>
  (about.count < 5 || about.distinct <= 0.5) && !cells.some((cell) => /;|:::/.test(cell));
