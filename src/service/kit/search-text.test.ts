import assert from 'node:assert/strict';
import { test } from 'node:test';
import { customer } from '../people/customer.fixture.ts';
import { searchText } from '../people/customer-fields.ts';
import { searchWords } from './search-text.ts';

const text = searchText(
  customer({ reference: 'K-17', name: 'Bäckerei Weiß & Söhne', numbers: ['+4930901820', '123'] }),
);

for (const [term, found] of [
  ['bäck', true],
  ['BACKEREI', true],
  ['weiss sohne', true],
  ['söhne bäck', true],
  ['bäck meier', false],
  ['k-17', true],
  ['030 90 18-20', true],
  ['+49 (30) 901820', true],
  ['0049 30 901820', true],
  ['901820', true],
  ['901821', false],
  ['', true],
] as const)
  test(`"${term}" ${found ? 'finds' : 'does not find'} the bakery`, () => {
    assert.equal(
      searchWords(term).every((word) => text.includes(word)),
      found,
    );
  });
