import { type CompleteNumber, isAreaInBrackets, isDisplayForm, isValidE164 } from './parse-number.ts';

type RunSplit = { readonly texts: string[]; readonly unread: string[] };

/** Digits without a separator, and the separators before them. */
type Group = { readonly digits: string; readonly lead: string };
type Part = readonly Group[];

/** Source: E.164. */
const MAX_DIGITS = 15;
/** Before another number: more may be its beginning. */
const MAX_LAST_DIGITS = 2;
/** Only a number with at least this number of digits after its calling code is followed by other last digits of it. */
const MIN_WITH_VARIANT = 7;
const MAX_AREA_CODE = 5;
/** Digits behind an area code, as many as behind the next divider: those of two numbers. */
const MIN_ALIKE = 5;
/** Without its 0, or in a country without one; fewer digits are the end of a number. */
const MIN_BARE = 8;
/** With its 0, in almost every country. */
const MAX_NATIONAL = 11;
/** A number with its plus and two extensions. */
const MIN_WITH_EXTENSIONS = 12;
/** In brackets; an area code may have as many. */
const MAX_MARK = 3;
/** More than a few numbers: taking them apart would take long. */
const MAX_GROUPS = 60;

/**
 * The numbers in digits with separators. Most begin with `+`, 0 or a bracket. `030/90186` is one number, and
 * `030 90186 / 030 90187` are two. Of `030 901850/52` only the first is read: 52 are the last digits of another one.
 */
export function splitRun(run: string, complete: CompleteNumber): RunSplit {
  // `*31#` before a number withholds the own one.
  const dialled = run.replace(/^\s*[*#]+\d{2,3}[*#](?=\+?\d{5})/, '').replace(noNumber, '');
  const groups = groupsIn(dialled);
  const nothing = unreadable(run.trim());
  if (hasZeroApart(groups)) return nothing;
  if (groups.length > MAX_GROUPS || groups.some(({ lead }) => /\+[^+]*\+/.test(lead))) return nothing;
  const starts = groups.flatMap(({ lead }, index) => (index === 0 || lead.includes('+') ? [index] : []));
  const parts = starts.map((start, index) => groups.slice(start, starts[index + 1]));
  const isUnclear = (part: Part, index: number) =>
    isMark(part, index, complete) || isNextExtension(part, index, complete);
  if (parts.some((part) => part.some((_, index) => isUnclear(part, index)))) return nothing;
  if (parts.length === 1) return splitPart(groups, complete);
  // `0+49 171 3920000`
  const isGlued = parts.some(
    ([first], index) => index > 0 && first?.lead === '+' && !complete(textOf(parts[index - 1] as Part)),
  );
  if (isGlued) return nothing;
  const found = onlyComplete(joined(parts.map((part) => splitPart(part, complete))), complete);
  return found.texts.length === 0 ? nothing : found;
}

/** Next to other numbers, an incomplete one is not an extension but a part of something. */
const onlyComplete = ({ texts, unread }: RunSplit, complete: CompleteNumber): RunSplit => ({
  texts: texts.filter(complete),
  unread: [...texts.filter((text) => text !== '' && !complete(text)), ...unread],
});

/** `0 / 030 901820`: the 0 says that there is no number, and another one follows. */
const noNumber = /^\s*(?:0+(?:\s*\/\s*|\s+-\s+))+(?=\(?(?:\+|0\d))/;

/** `0 06 12 34 56 78`: with the next 0 it would be what is dialled before a number of another country. */
const hasZeroApart = (groups: Part) =>
  groups.some(
    ({ digits, lead }, index) =>
      digits === '0' &&
      (index === 0 || isDivider(lead)) &&
      !lead.includes('+') &&
      groups[index + 1]?.digits.startsWith('0') &&
      !isDividedAt(groups, index + 1),
  );

/**
 * True for digits in a bracket behind a number that are no area code: `030 901820 (1) 0171 3920000 (2)`. They are no part of any of
 * the numbers.
 */
function isMark(part: Part, index: number, complete: CompleteNumber): boolean {
  const { lead, digits } = part[index] as Group;
  if (!lead.includes('(') || digits.length > MAX_MARK) return false;
  const places = [...part.keys()];
  const isBehindNumber = places.some(
    (start) =>
      start < index &&
      (start === 0 || isStart(part, start) || isDividedAt(part, start)) &&
      !part.slice(start + 1, index).some((group) => group.digits.startsWith('00')) &&
      complete(textOf(part.slice(start, index))) !== undefined,
  );
  // `(0-612) 31106` in Lithuania
  const closing = part.findIndex((group, at) => at > index && group.lead.includes(')'));
  if (!isBehindNumber || closing > index + 1) return false;
  const isArea = places.some((end) => {
    const number = end > index ? complete(textOf(part.slice(index, end + 1))) : undefined;
    if (number === undefined || !/^[1-9]/.test(part[index + 1]?.digits ?? '')) return false;
    return digits.length > 1 || isAreaInBrackets(digits, number);
  });
  return !isArea;
}

/** `030 9018-12 -13`: a second extension behind a number. */
function isNextExtension(part: Part, index: number, complete: CompleteNumber): boolean {
  const [first, second] = part.slice(index - 1, index + 1);
  if (index < 2 || !/^ +-$/.test(second?.lead ?? '') || !/-$/.test(first?.lead ?? '')) return false;
  const number = complete(textOf(part.slice(0, index - 1)));
  // `+49 30 90-18 -20`: one in blocks.
  return number !== undefined && `${number}${first?.digits}${second?.digits}`.length >= MIN_WITH_EXTENSIONS;
}

const groupsIn = (run: string): Group[] =>
  [...run.matchAll(/(\D*)(\d+)/g)].map(([, lead = '', digits = '']) => ({ lead, digits }));

/** The text of a part, as libphonenumber reads it. */
function textOf(part: Part): string {
  const [first] = part;
  // `+030` and `+0049` are mistakes that leave one meaning.
  const plus = first?.lead.includes('+') && !/^0\d/.test(first.digits) ? '+' : '';
  const separator = (lead: string) => lead.replace(/[^-./ ]+/g, ' ') || ' ';
  return (
    plus + part.map(({ lead, digits }, index) => (index === 0 ? digits : separator(lead) + digits)).join('')
  );
}

const digitsOf = (part: Part) => part.map(({ digits }) => digits).join('');
const joined = (splits: readonly RunSplit[]): RunSplit => ({
  texts: splits.flatMap(({ texts }) => texts),
  unread: splits.flatMap(({ unread }) => unread),
});

const read = (...texts: string[]): RunSplit => ({ texts, unread: [] });
const unreadable = (text: string): RunSplit => ({ texts: [], unread: [text] });

type Written = ReturnType<typeof writtenOf>;

/** What tells which numbers a part has. `starts`: where a further one probably begins. */
function writtenOf(part: Part, complete: CompleteNumber) {
  const whole = textOf(part);
  const places = [...part.keys()];
  const starts = places.filter((place) => isStart(part, place));
  const dividers = places.filter((place) => place > 0 && isDividedAt(part, place));
  const length = digitsOf(part).replace(/^0+/, '').length;
  return { part, complete, whole, number: complete(whole), starts, dividers, length };
}

/** Takes a part apart that has a plus at its beginning at most: the first step that can tell counts. */
function splitPart(part: Part, complete: CompleteNumber): RunSplit {
  const written = writtenOf(part, complete);
  return (
    asPlainNumber(written) ??
    atMarks(written) ??
    atVariants(written) ??
    byLength(written) ??
    (isSeveral(written) ? unreadable(written.whole) : read(written.whole))
  );
}

/** One number, or two of which the second is not written in full. */
function asPlainNumber({ part, whole, number, starts, dividers, complete }: Written): RunSplit | undefined {
  // `+39 06 5583 0805`, although `+39 06 5583` is a number as well.
  if (number?.startsWith('+') && isDisplayForm(whole, number)) return read(whole);
  if (endsWithTwo(part, complete) || (number && endsWithRange(part, number, complete)))
    return unreadable(whole);
  return number && starts.length + dividers.length === 0 ? read(whole) : undefined;
}

/** `030 90186 / 030 90187`: cuts at dividers and where a number probably begins. */
function atMarks({ part, whole, starts, dividers, length, complete }: Written): RunSplit | undefined {
  // `347 042 6065`, a mobile number in Italy.
  const isShown = (one: Part) =>
    isDividedAt(one, 0) && isDisplayForm(textOf(one), complete(textOf(one)) ?? '');
  const ways = splits(part, new Set([...starts, ...dividers]), (one, next) =>
    one[0] === part[0]
      ? isNumber(one, complete) || (isInternal(one) && isDivider(next?.lead ?? ''))
      : isNumber(one, complete) && (!holdsNumber(one, complete) || isShown(one)),
  );
  if (ways.length === 1) return joined(ways.flat().map((one) => splitVariants(one, complete)));
  const isMixed = starts.some((start) => {
    const [before, rest] = [part.slice(0, start), part.slice(start)];
    // `8 029 491-19-11` and `229 01 95 12 34 56` are one number, but `2 030 901820` is not.
    const isCode = complete(whole) === complete(textOf(rest));
    const isPair = isInternal(before) && isNumber(rest, complete) && !isCode;
    // `030 901820 0171`, `030 901820 030 90`
    const isCut =
      /^0[1-9]\d{1,3}$/.test(rest[0]?.digits ?? '') &&
      (rest.length === 1 || length > MAX_NATIONAL) &&
      isNumber(before, complete) &&
      digitsOf(before).length > 7;
    return isPair || isCut || rest[0]?.lead.includes('(');
  });
  return isMixed || ways.length > 1 ? unreadable(whole) : undefined;
}

/** `030 901850/52`, unless no number is before the slash. */
function atVariants({ part, whole, number, complete }: Written): RunSplit | undefined {
  const variants = splitVariants(part, complete);
  return variants.texts[0] !== whole || number ? variants : undefined;
}

/** Cuts at blanks what is too long for one number. */
function byLength({ part, whole, length, complete }: Written): RunSplit | undefined {
  if (length <= MAX_NATIONAL) return undefined;
  const gaps = [...part.keys()].filter((place) => place > 0 && /[ /(]/.test(part[place]?.lead ?? ''));
  // Behind `+1 212 555 0123`, a number without a plus or 0 is none of this country.
  const isAbroad = /^(?:\+|00)/.test(whole);
  const isDialled = (one: Part) =>
    /^[+0]/.test(textOf(one)) || (!isAbroad && digitsOf(one).length >= MIN_BARE);
  const ways = splits(
    part,
    new Set(gaps),
    (one) => isDialled(one) && isNumber(one, complete) && !holdsNumber(one, complete),
  );
  return ways.length === 1 ? read(...ways.flat().map(textOf)) : undefined;
}

/** Whether what none of the steps could take apart has several numbers. */
function isSeveral({ part, whole, starts, dividers, length }: Written): boolean {
  const isTwo = starts.some((start) => dividers.includes(start) || length >= MAX_NATIONAL);
  // `1001/1002`, but not `212/555-0123`.
  const isShortPair = dividers.length > 0 && !/^[+0]/.test(whole) && length < MAX_NATIONAL - 1;
  return isTwo || (part.length > 1 && length > MAX_DIGITS) || isShortPair;
}

const isNumber = (part: Part, complete: CompleteNumber) =>
  digitsOf(part).length <= MAX_DIGITS + 2 && isWhole(textOf(part), complete);

/** Whether a number probably begins within it. */
const holdsNumber = (part: Part, complete: CompleteNumber) =>
  part.some((_, index) => isStart(part, index) && isNumber(part.slice(index), complete));

/**
 * True for a text that is a number by itself. Behind a calling code it must be valid: `+49 1512` has as many digits as some
 * numbers, and is the beginning of one.
 */
function isWhole(text: string, complete: CompleteNumber): boolean {
  const number = complete(text);
  return number !== undefined && (!/^(?:\+|00)/.test(text) || isValidE164(number));
}

const isBlank = (lead: string) => /^ *$/.test(lead);

/**
 * `030 901820 901821`: two numbers with one area code. Not `030 901820 110`: where numbers have any length, so are a number
 * and the extension written that is dialled with it.
 */
function endsWithTwo(part: Part, complete: CompleteNumber): boolean {
  const before = part.slice(0, -1);
  const [length, last] = [before.at(-1)?.digits.length, part.at(-1)];
  if (last === undefined || !isBlank(last.lead) || last.digits.length < MIN_ALIKE) return false;
  return last.digits.length === length && nationalOf(before).length > 1 && !!complete(textOf(before));
}

/**
 * `02 66981234-5`: two numbers, also in countries where numbers have any length, such as Italy. In Germany and Austria an
 * extension that is dialled is written so.
 */
function endsWithRange(part: Part, number: string, complete: CompleteNumber): boolean {
  const [last, before] = [part.at(-1), part.slice(0, -1)];
  if (last?.lead !== '-' || last.digits.length > 2 || /^(?:\d|\+4[39])/.test(number)) return false;
  const first = complete(textOf(before));
  return first !== undefined && isValidE164(first);
}

/** Between two numbers, or between the parts of one. */
const isDivider = (lead: string) => /\/|\s-\s/.test(lead);
const isDividedAt = (part: Part, place: number) => isDivider(part[place]?.lead ?? '');

/** A number of a PBX. */
const isInternal = (part: Part) => part.length === 1 && /^[1-9]\d{0,5}$/.test(textOf(part));

/** True where a number probably begins: `030`, `(212)`; not `(0)`, and nothing directly after a calling code. */
function isStart(part: Part, index: number): boolean {
  const { lead, digits } = part[index] as Group;
  const before = part.slice(0, index);
  if (digits.length === 1 || nationalOf(before).length === 0) return false;
  // `1 (212) 555-0123`
  const isArea = before.length === 1 && /^[1-9]\d{0,2}$/.test(digitsOf(before));
  return digits.startsWith('0') || (lead.includes('(') && !isArea);
}

/** A part without its calling code and the 0 that is dialled without one. */
function nationalOf(part: Part): Part {
  const [first, ...others] = part;
  if (first === undefined) return [];
  const calling = /^00(?=[1-9])/.test(first.digits) ? first.digits.slice(2) : first.digits;
  const isInternational = first.lead.includes('+') || calling !== first.digits;
  if (!isInternational) return first.digits === '0' ? others : part;
  if (calling.length > 3) return [{ ...first, digits: calling.slice(2) }, ...others];
  return others[0]?.digits === '0' ? others.slice(1) : others;
}

/** The ways to take a part apart at some of these places into the most numbers; none if it stays whole. */
function splits(
  part: Part,
  places: ReadonlySet<number>,
  isGood: (one: Part, next: Group | undefined) => boolean,
): Part[][] {
  type Ways = { readonly count: number; readonly ways: Part[][] };
  const none: Ways = { count: 0, ways: [] };
  const from = new Map<number, Ways>([[part.length, { count: 0, ways: [[]] }]]);
  const sorted = [...places].sort((a, b) => a - b);
  for (const start of [0, ...sorted].reverse()) {
    let best = none;
    for (const end of [...sorted.filter((place) => place > start), part.length]) {
      const rest = from.get(end) ?? none;
      const one = part.slice(start, end);
      if (rest.ways.length === 0 || rest.count + 1 < best.count || !isGood(one, part[end])) continue;
      const ways = rest.ways.map((way) => [one, ...way]);
      best = {
        count: rest.count + 1,
        ways: (rest.count + 1 === best.count ? [...best.ways, ...ways] : ways).slice(0, 2),
      };
    }
    from.set(start, best);
  }
  const { count, ways } = from.get(0) ?? none;
  return count > 1 ? ways : [];
}

/** Cuts at the first slash behind a complete number: what follows is read only where it begins as a number does. */
function splitVariants(part: Part, complete: CompleteNumber): RunSplit {
  const whole = textOf(part);
  for (let index = 1; index < part.length; index += 1) {
    if (!isDividedAt(part, index)) continue;
    const [before, after] = [part.slice(0, index), part.slice(index)];
    // `+685 69907 / 62114`: in small countries, a number is as short as an area code.
    if (isNumberBefore(before, whole, complete)) return { texts: [textOf(before)], unread: [textOf(after)] };
    if (isAreaCode(before)) continue;
    if (before.some((_, at) => isStart(part, at))) {
      if (part[index]?.lead.includes('/')) return unreadable(whole);
      continue;
    }
    if (!complete(textOf(before)) || (complete(whole) && !hasVariant(before, after))) continue;
    const next = after.findIndex((_, at) => isStart(part, index + at));
    const variant = next < 0 ? after : after.slice(0, next);
    // `06 12345678 / 347 0426065`: more than last digits, so that the 0 behind them may begin no number.
    if (next >= 0 && digitsOf(variant).length > MAX_LAST_DIGITS)
      return { texts: [textOf(before)], unread: [textOf(after)] };
    const own = onlyComplete(splitVariants(variant, complete), complete);
    const others = next < 0 ? [] : [onlyComplete(splitPart(after.slice(next), complete), complete)];
    return joined([read(textOf(before)), own, ...others]);
  }
  return read(whole);
}

const isAreaCode = (part: Part): boolean => {
  const [area, ...others] = nationalOf(part);
  return others.length === 0 && (area?.digits.replace(/^0/, '').length ?? 0) <= MAX_AREA_CODE;
};

/** Whether other last digits, or another number of the same area, may follow a number: `58058 / 58059`, but not `030 / 90 18 20`. */
function hasVariant(before: Part, after: Part): boolean {
  const national = nationalOf(before);
  const length = digitsOf(national).replace(/^0/, '').length;
  const local = national.at(-1)?.digits.length ?? 0;
  const isAlike = local >= MIN_ALIKE && after[0]?.digits.length === local;
  return isAlike || (length >= MIN_WITH_VARIANT && !!after[0]?.lead.includes('/'));
}

/** True for a number with its country that is valid, if with what follows it there is no such number. */
function isNumberBefore(before: Part, whole: string, complete: CompleteNumber): boolean {
  const [number, longer] = [complete(textOf(before)), complete(whole)];
  return !!number && !!longer && /^(?:\+|00)/.test(whole) && isValidE164(number) && !isValidE164(longer);
}
