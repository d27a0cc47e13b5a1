import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isMonthFirst, readDates } from './dates.ts';

const read = (text: string, monthFirst = false) => {
  const { dates, wrong } = readDates(text, { monthFirst, most: 1_000 });
  return { dates, wrong };
};

describe('days as people type them', () => {
  const christmas = ['2026-12-25'];
  for (const text of [
    '2026-12-25',
    '2026/12/25',
    '25.12.2026',
    '25. 12. 2026',
    '25.12.26',
    '25/12/2026',
    '25-12-2026',
    '25 Dec 2026',
    '25 December 2026',
    'December 25, 2026',
    'Dec 25th, 2026',
    'dec 25 2026',
    '25. Dezember 2026',
    '25 Dez. 2026',
    '25 décembre 2026',
    '25 déc. 2026',
    '25 dec. 2026',
    '25 de diciembre de 2026',
    '25 dic 2026',
    '25 december 2026',
    ' 25.12.2026 ',
    '２５.１２.２０２６',
  ])
    test(text, () => assert.deepEqual(read(text), { dates: christmas, wrong: [] }));

  test('several on a line or on lines of their own, each once', () =>
    assert.deepEqual(read('26.12.2026, 2026-12-25 2026-12-24;1.1.2027\r\n\n25 Dec 2026'), {
      dates: ['2026-12-24', '2026-12-25', '2026-12-26', '2027-01-01'],
      wrong: [],
    }));

  for (const text of [
    '24.12.2026–27.12.2026',
    '24.12.–27.12.2026',
    '24.-27.12.2026',
    '24.12. bis 27.12.2026',
    '24-27 Dec 2026',
    '24 Dec – 27 Dec 2026',
    '24/12/2026 - 27/12/2026',
    '2026-12-24 to 2026-12-27',
    '24 au 27 décembre 2026',
    '24-12-2026 t/m 27-12-2026',
    '24 al 27 de diciembre de 2026',
  ])
    test(`a range: ${text}`, () =>
      assert.deepEqual(read(text), {
        dates: ['2026-12-24', '2026-12-25', '2026-12-26', '2026-12-27'],
        wrong: [],
      }));

  test('where the month stands first, it does with any separator', () => {
    for (const text of ['7/4/2026', '7-4-2026', '07.04.2026', '07-04-26', '7. 4. 2026'])
      assert.deepEqual([read(text, true).dates, read(text).dates], [['2026-07-04'], ['2026-04-07']], text);
    assert.deepEqual(read('12-25-2026 12.25.2026', true), { dates: christmas, wrong: [] });
    assert.deepEqual(read('25-12-2026, 25.12.2026', true), { dates: christmas, wrong: [] });
    assert.deepEqual(read('2026-07-04, 4 Jul 2026', true).dates, ['2026-07-04']);
    assert.deepEqual(read('7-4-2026 - 7-6-2026', true).dates, ['2026-07-04', '2026-07-05', '2026-07-06']);
    assert.deepEqual(read('24.12.–26.12.2026', true).dates.length, 3);
    assert.deepEqual(read('4.-7.12.2026', true), { dates: [], wrong: ['4.-7.12.2026'] });
    assert.deepEqual(read('4.-7.12.2026').dates.length, 4);
    assert.equal(read('25.13.2026', true).wrong.length, 1);
    assert.equal(read('12-25-2026').wrong.length, 1);
  });

  test('with slashes the order depends on the country, unless only one is possible', () => {
    assert.deepEqual(read('04/05/2026').dates, ['2026-05-04']);
    assert.deepEqual(read('04/05/2026', true).dates, ['2026-04-05']);
    assert.deepEqual(read('12/25/2026').dates, christmas);
    assert.deepEqual(read('25/12/2026', true).dates, christmas);
    const countries = 'US PH PR DE GB NL ES FR LU LI HR BG GR TR RU BR MX AR KR JP MT QO'.split(' ');
    assert.deepEqual(countries.filter(isMonthFirst), ['US', 'PH', 'PR']);
  });

  test('what is no day, or does not say which year, is named and not guessed', () => {
    assert.deepEqual(read('25.12.2026, Heiligabend, 30.2.2026').wrong, ['Heiligabend', '30.2.2026']);
    for (const text of ['25.12.', '25 Dec', 'Dec 2026', '2026', '31.12.2026–24.12.2026x', '25.13.2026'])
      assert.equal(read(text).wrong.length, 1, text);
    assert.deepEqual(read('24.12.2025–31.12.2099').dates.length < 3, true, 'a slip in the year');
  });
});
