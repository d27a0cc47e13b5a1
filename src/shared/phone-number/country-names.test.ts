import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countryOf } from './country-names.ts';
import { countries } from './normalise-number.ts';

test('countries are known by code, by name in the languages of headers, and by what people call them', () => {
  const written = {
    CH: 'CH|ch|Switzerland|Schweiz|Suisse|Svizzera|Zwitserland|Suiza|Suíça|SCHWEIZ|CHE|Switzerland (CH)|CH - Schweiz|CH Schweiz',
    AT: 'AT|Österreich|Oesterreich|Austria|Autriche|Oostenrijk|A|AUT|Republik Österreich',
    DE: 'DE|Germany|Deutschland|Allemagne|Alemania|Duitsland|D|DEU|BRD|Deutschland/Germany',
    NL: 'NL|The Netherlands|Netherlands|Niederlande|Nederland|Pays-Bas|Países Bajos|Holland',
    GB: 'GB|UK|U.K.|United Kingdom|Vereinigtes Königreich|Royaume-Uni|Great Britain|England',
    US: 'US|USA|U.S.A.|United States|United States of America|Vereinigte Staaten|États-Unis',
    CZ: 'CZ|Czechia|Czech Republic|Tschechien|Česko|ČR|čr|C\u030cR|ČR (Česko)|ＣＺ',
    CR: 'CR|cr|Costa Rica',
    SE: 'Sverige|Schweden|Sweden',
    GW: 'Guinea-Bissau',
    HK: 'Hong Kong|Hongkong',
    TR: 'Turkey|Türkei|Türkiye',
  };
  for (const [code, cells] of Object.entries(written))
    for (const cell of cells.split('|')) assert.equal(countryOf(cell), code, cell);
});

test('what names no country, or two, is none', () => {
  for (const cell of [
    '',
    '-',
    'XX',
    'Bayern',
    '+49',
    '49',
    'DE/CH',
    'Other',
    'Stammkunde',
    'EU',
    'Schweiz und Liechtenstein',
    'ŠK',
    'ÑL',
    'Á',
  ])
    assert.equal(countryOf(cell), undefined, cell);
});

test('no country is called as another one is in another language', () => {
  for (const language of ['en', 'de', 'fr', 'es', 'nl', 'it', 'pt'])
    for (const code of countries()) {
      const name = new Intl.DisplayNames(language, { type: 'region' }).of(code) ?? '';
      assert.equal(countryOf(name), code, `${name} (${language})`);
    }
});
