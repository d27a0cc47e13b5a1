import { closest, distance } from 'fastest-levenshtein';

/** Letters that a misspelt name has wrong, missing or too many. */
const MOST = 2;

const plainName = (name: string) => name.replace(/_FILE$/, '');

/** Whether this is the name of a setting, or of the file with its value. */
export const isSetting = (name: string, known: ReadonlySet<string>): boolean =>
  known.has(name) || known.has(plainName(name));

/** The setting that a misspelt name probably means; undefined if no name is close to it. */
export function nearestSetting(name: string, known: ReadonlySet<string>): string | undefined {
  if (isSetting(name, known)) return undefined;
  const plain = plainName(name);
  const near = closest(plain, [...known]);
  return distance(plain, near) <= MOST ? near : undefined;
}

/** Unknown settings that were set, each with the setting that it probably means. */
export const misspelt = (set: Iterable<string>, known: ReadonlySet<string>) =>
  [...set].flatMap((name) => {
    const nearest = nearestSetting(name, known);
    return nearest === undefined ? [] : [{ name, nearest }];
  });
