import { de } from './de.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { nl } from './nl.ts';

/** What pages say, by area; the compiler sees to it that every language has the same keys. */
export type Words = typeof en;

/** By language tag, in the order in which users choose. */
export const languages = new Map<string, Words>(
  [en, de, nl, fr, es].map((words) => [words.language, words] as const),
);

/** The words for a user: in the chosen language, else in the first of the browser's (Accept-Language) that there is. */
export function wordsFor(chosen: string, accepted = ''): Words {
  for (const tag of [chosen, ...byPreference(accepted)]) {
    const words = languages.get(tag) ?? languages.get(tag.split('-')[0] as string);
    if (words !== undefined) return words;
  }
  return en;
}

/** The tags of an Accept-Language header, such as `de-CH,de;q=0.9,en;q=0.8`. */
function byPreference(accepted: string): string[] {
  return accepted
    .slice(0, 1000)
    .split(',')
    .map((part) => {
      const [, tag = '', weight = '1'] = /^\s*([\w-]+)\s*(?:;\s*q=([\d.]+))?/.exec(part) ?? [];
      return { tag: tag.toLowerCase(), weight: Number(weight) };
    })
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .map(({ tag }) => tag);
}

/** For a check of a zod schema: an error that forms show in the user's language, and everything else in English. */
export function formError(key: PlainKeys<Words['formErrors']>) {
  return { error: en.formErrors[key], params: { key } };
}

type PlainKeys<Area> = { [Key in keyof Area]: Area[Key] extends string ? Key : never }[keyof Area];
