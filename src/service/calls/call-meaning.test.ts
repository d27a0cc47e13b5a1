import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import {
  answeredSql,
  isAnswered,
  isMissed,
  missedSql,
  placeOf,
  placeSql,
  SHORT_SECONDS,
  shortSql,
  waitedFor,
} from './call-meaning.ts';
import type { MissedPlace } from './call-record.ts';

/** Each combination of one value of each. */
const combinations = <T extends Record<string, readonly unknown[]>>(values: T) =>
  Object.entries(values).reduce<Record<string, unknown>[]>(
    (all, [name, some]) => all.flatMap((one) => some.map((value) => ({ ...one, [name]: value }))),
    [{}],
  ) as { [name in keyof T]: T[name][number] }[];

test('what a call is called in SQL is what it is called elsewhere', () => {
  const db = new DatabaseSync(':memory:');
  const bit = (value: boolean | null) => (value === null ? null : Number(value));
  const short = (SHORT_SECONDS + 1) * 1_000;
  const calls = combinations({
    ringingAt: [1_000, null],
    answeredAt: [1_500, null],
    completedAt: [1_000 + short - 1, 1_000 + short, null],
    missed: [true, false, null],
    missedWhere: ['queue', null] as readonly (MissedPlace | null)[],
    missedAfter: [SHORT_SECONDS, SHORT_SECONDS + 1, null],
  });
  for (const call of calls) {
    const { ringingAt, answeredAt, completedAt, missed, missedWhere, missedAfter } = call;
    const found = db
      .prepare(
        `SELECT ${answeredSql('c')} AS answered, ${missedSql('c')} AS missed, ${placeSql('c')} AS place, ${shortSql('c')} AS short
         FROM (SELECT ? AS ringing_at, ? AS answered_at, ? AS completed_at, ? AS missed, ? AS missed_where, ? AS missed_after) c`,
      )
      .get(ringingAt, answeredAt, completedAt, bit(missed), missedWhere, missedAfter);
    const said = JSON.stringify(call);
    assert.equal(found?.answered === 1, isAnswered(call), said);
    assert.equal(found?.missed === 1, isMissed(call), said);
    assert.equal(found?.place, placeOf(call), said);
    const waited = waitedFor({ ...call, answeredAt: null });
    assert.equal(found?.short === 1, waited !== null && waited < short, said);
  }
  db.close();
});
