import assert from 'node:assert/strict';
import { test } from 'node:test';
import { languages, wordsFor } from './words.ts';

test('the language is the chosen one, else the first of the browser’s that there is, else English', () => {
  for (const [chosen, accepted, language] of [
    ['fr', 'de', 'fr'],
    ['', 'de-CH,de;q=0.9,en;q=0.8', 'de'],
    ['', 'pt-BR, es;q=0.7, nl;q=0.9', 'nl'],
    ['', 'NL', 'nl'],
    ['', 'de;q=0, fr;q=0.1', 'fr'],
    ['', '*', 'en'],
    ['', 'xx;q=__proto__,,;', 'en'],
    ['tlh', '', 'en'],
  ] as const)
    assert.equal(wordsFor(chosen, accepted).language, language, `${chosen} ${accepted}`);
});

/** Every text by its path, such as `signIn.title`; functions have no text. */
function textsOf(words: object, path = ''): [string, unknown][] {
  return Object.entries(words).flatMap(([key, value]) =>
    typeof value === 'object'
      ? textsOf(value, `${path}${key}.`)
      : [[`${path}${key}`, value] as [string, unknown]],
  );
}

test('every language has every text, none is empty, and texts for scripts have the same {places}', () => {
  const [english, ...others] = [...languages.values()].map((words) => new Map(textsOf(words)));
  const places = (text: unknown) => [...String(text).matchAll(/\{\w+\}/g)].map(String).sort();
  for (const texts of others) {
    assert.deepEqual([...texts.keys()], [...(english as typeof texts).keys()]);
    for (const [key, text] of texts) {
      assert.notEqual(text, '', key);
      if (key.startsWith('bar.')) assert.deepEqual(places(text), places(english?.get(key)), key);
    }
  }
});
