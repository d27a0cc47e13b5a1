import { colloquialCountries } from './country-codes.ts';
import { countries, isCountry } from './normalise-number.ts';

/** Of the headers that imports know. */
const languages = ['en', 'de', 'fr', 'es', 'nl', 'it', 'pt'];

/** ISO 3166-1 alpha-3, and the signs of vehicles, of countries whose customers are usual in and around Europe. */
const otherCodes = `AUT:AT BEL:BE BGR:BG CHE:CH CYP:CY CZE:CZ DEU:DE DNK:DK ESP:ES EST:EE FIN:FI FRA:FR GBR:GB GRC:GR EL:GR HRV:HR
  HUN:HU IRL:IE ITA:IT LIE:LI LTU:LT LUX:LU LVA:LV MCO:MC MLT:MT NLD:NL NOR:NO POL:PL PRT:PT ROU:RO SRB:RS SVK:SK SVN:SI
  SWE:SE TUR:TR UKR:UA CAN:CA MEX:MX BRA:BR ARG:AR AUS:AU NZL:NZ CHN:CN JPN:JP IND:IN ISR:IL
  ČR:CZ A:AT B:BE D:DE E:ES F:FR FL:LI H:HU I:IT L:LU N:NO P:PT S:SE SLO:SI`;

/** What people call countries, besides the names that Unicode has. */
const otherNames = `BRD:DE Bundesrepublik Deutschland:DE Republik Österreich:AT Holland:NL Holanda:NL Olanda:NL England:GB
  Angleterre:GB Inglaterra:GB Inghilterra:GB Scotland:GB Schottland:GB Wales:GB Great Britain:GB Großbritannien:GB
  Grande-Bretagne:GB Gran Bretaña:GB Gran Bretagna:GB Grã-Bretanha:GB Groot-Brittannië:GB Czech Republic:CZ
  Tschechische Republik:CZ République tchèque:CZ República Checa:CZ Repubblica Ceca:CZ Tsjechische Republiek:CZ
  Slovak Republic:SK Slowakische Republik:SK Turkey:TR United States of America:US Vereinigte Staaten von Amerika:US
  États-Unis d’Amérique:US Estados Unidos de América:US Stati Uniti d’America:US`;

const pairs = (list: string) =>
  [...list.matchAll(/([^\s:][^:]*):([A-Z]{2})/g)].map(([, name = '', code = '']) => [name, code] as const);

/** Without case, accents and points. Codes have no accents: `ČR` is not `CR`. */
function plain(text: string): string {
  const simple = folded(text.normalize('NFKD').replace(/\p{M}/gu, ''));
  return /^[a-z]{1,3}$/.test(simple) ? folded(text.normalize('NFKC')) : simple;
}

const folded = (text: string) =>
  text
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replace(/[.'’]/g, '')
    .replace(/[\s\u00a0-]+/g, ' ')
    .replace(/^the /, '')
    .trim();

let names: ReadonlyMap<string, string> | undefined;

/** All names and codes; those of a country in its own language, too. */
function knownNames(): ReadonlyMap<string, string> {
  const known = new Map<string, string>();
  const all = countries();
  function add(name: string, code: string) {
    known.set(plain(name), code);
    // `Oesterreich`
    known.set(plain(name.replace(/[äöü]/gi, '$&e')), code);
  }
  function addNames(language: string, codes: readonly string[]) {
    for (const style of ['long', 'short'] as const) {
      const names = new Intl.DisplayNames(language, { type: 'region', style });
      for (const code of codes) add(names.of(code) ?? code, code);
    }
  }
  for (const language of languages) addNames(language, all);
  for (const code of all) addNames(new Intl.Locale(`und-${code}`).maximize().language, [code]);
  for (const [name, code] of [...pairs(otherNames), ...pairs(otherCodes)]) add(name, code);
  for (const [name, code] of Object.entries(colloquialCountries)) add(name, code);
  for (const code of all) add(code, code);
  return known;
}

/** In characters: more than any name of a country, with its code. */
const LONGEST = 200;

/** The country that a cell names, as an ISO 3166-1 alpha-2 code: `CH`, `Schweiz`, `Switzerland (CH)`. */
export function countryOf(cell: string): string | undefined {
  if (cell.length > LONGEST) return undefined;
  names ??= knownNames();
  const whole = names.get(plain(cell));
  if (whole !== undefined) return whole;
  const parts = cell
    .split(/[()[\],;/|]|\s-\s|^(?=[A-Z]{2}\s)|(?<=^[A-Z]{2})\s/)
    .filter((part) => part.trim());
  const found = new Set(parts.map((part) => names?.get(plain(part))));
  const [only] = found;
  return found.size === 1 && only !== undefined && isCountry(only) ? only : undefined;
}
