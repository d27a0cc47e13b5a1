import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Extension, Extensions } from '../accounts/account.ts';
import type { UserRequest } from '../accounts/user-request.ts';
import { countGroup } from '../calls/aggregate.ts';
import { en } from '../words/en.ts';
import { countPeople } from './people-sums.ts';
import { peopleFilters, peopleOf, personOf } from './report-filter.ts';
import { peopleRows } from './report-rows.ts';

const of = (extension: string, name: string): [string, Extension] => [
  extension,
  { account: 1, extension, name, user: 7, userName: 'Jana' },
];
const extensions: Extensions = new Map([of('1001', 'Desk'), of('1002', 'Kitchen')]);

test('a person is found by the extensions that answered, whatever those are named', () => {
  assert.deepEqual(
    peopleOf(['1001', '1002', '3'], extensions).map(({ name, search }) => [name, search]),
    [
      ['Jana (1001, 1002)', '1001|1002'],
      ['3', '3'],
    ],
  );
});

test('a person chosen in one period is the same choice in another', () => {
  const values = (answered: readonly string[]) =>
    peopleFilters({ extensions, words: en } as UserRequest, answered).map(({ value }) => value);
  assert.deepEqual(values(['1001', '3']), ['answered:1001|1002', 'answered:3']);
  assert.deepEqual(values(['1002']), ['answered:1001|1002']);
});

test('a person’s row has the calls of all extensions, and those of the period before', () => {
  const report = (...answered: readonly (readonly [string, number])[]) => {
    const people = countPeople((extension) => personOf(extensions, extension));
    people.add(
      answered.map(([extension, calls]) => ({
        rang: [extension, '4'],
        talked: [[extension, 60 * calls]],
        outcome: 'answered',
        calls,
      })),
    );
    return {
      ...people.figures(),
      groups: {
        segments: [],
        integrations: [],
        extensions: answered.map(
          ([extension, count]) => [extension, { ...countGroup().group(), answered: count }] as const,
        ),
      },
    };
  };
  const before = report(['1002', 4], ['1001', 2], ['3', 1]);
  const rows = peopleRows(
    extensions,
    en,
    report(['1001', 5], ['1002', 2], ['4', 1]),
    before,
    (search) => search,
  );
  assert.deepEqual(
    rows.map(({ label, answered, before: then, person, group }) => [
      label,
      answered,
      then,
      person?.offered,
      person?.byOthers,
      group?.talkedSeconds,
    ]),
    [
      ['Jana (1001, 1002)', 7, 6, 7, 0, 420],
      ['4', 1, 0, 8, 7, 60],
    ],
  );
});
