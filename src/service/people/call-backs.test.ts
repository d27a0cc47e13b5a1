import assert from 'node:assert/strict';
import { test } from 'node:test';
import { table } from '../../../test/table.ts';
import type { CallRecord } from '../calls/call-record.ts';
import { callBacks } from './call-backs.ts';
import type { CallerAction, MissedCall, MissedCaller } from './caller-store.ts';

const missed = (id: string, number: string, at: number, reachedAt?: number): MissedCall => ({
  call: { id, number, startedAt: at - 5, completedAt: at } as CallRecord,
  reached: reachedAt === undefined ? null : { id: 'through', at: reachedAt, by: '1001' },
});
const did = (kind: CallerAction['kind'], at: number, number = '110'): CallerAction => ({
  ...{ kind, at, number, user: 'Ann', text: null },
});
/** Their callers, as the store gives them: the calls are oldest first. */
const callersOf = (calls: readonly MissedCall[]): MissedCaller[] =>
  [...Map.groupBy(calls, ({ call }) => call.number).values()].map((ofOne) => {
    const newest = ofOne.at(-1) as MissedCall;
    const spans = ofOne.map(({ call }) => ({ since: call.startedAt, until: call.completedAt ?? 0 }));
    const answered = ofOne.flatMap(({ reached }) => reached?.at ?? []);
    return { ...newest, calls: spans.toReversed(), answeredAt: answered.at(-1) ?? null };
  });
/** Each caller in one line. */
const list = (calls: readonly MissedCall[], actions: readonly CallerAction[] = []) =>
  callBacks(callersOf(calls), actions).map(({ number, call, times, since, taken, closed }) =>
    [
      ...[number, call.id, times > 1 && `×${times} since ${since}`],
      ...[taken && `taken by ${taken.user}`, closed?.how],
    ]
      .filter(Boolean)
      .join(' '),
  );

/** Calls as `a:110@10`, one that got through as `a:110@10>20`, and what colleagues did as `done@12`. */
const rows = table<[what: string, calls: string, actions: string, expected: string]>(`
  a caller once, newest first             | a:110@10 b:112@20 c:110@30   |                               | 110 c ×2 since 5, 112 b
  who got through is closed               | a:110@10>20                  |                               | 110 a reached
  missed again after that                 | a:110@10>20 b:110@30         |                               | 110 b
  taken                                   | a:110@10                     | taken@11                      | 110 a taken by Ann
  taken, and missed again: still hers     | a:110@10 b:110@20            | taken@11                      | 110 b ×2 since 5 taken by Ann
  released                                | a:110@10                     | taken@11 released@12          | 110 a
  done                                    | a:110@10                     | taken@11 done@12              | 110 a done
  missed again after Done: anew, by anybody | a:110@10 b:110@20          | taken@11 done@12              | 110 b
  undone                                  | a:110@10                     | done@12 reopened@13           | 110 a
  undone: still hers, however often Done was pressed | a:110@10          | taken@11 done@12 done@13 reopened@14 | 110 a taken by Ann
  undone: an earlier Done, for an earlier call, stays | a:110@10 b:110@20 | taken@11 done@12 done@25 reopened@26 | 110 b
  done twice                              | a:110@10                     | done@12 reopened@13 done@14   | 110 a done
  a note changes nothing                  | a:110@10                     | taken@11 note@12              | 110 a taken by Ann
  done, later through: it was done        | a:110@10>30                  | done@20                       | 110 a done
  through, and Done pressed after it: it was through | a:110@10>15       | done@20                       | 110 a reached
  of other numbers nothing counts         | a:110@10                     | done@12:112                   | 110 a
  a caller without a number cannot be called back | a:anonymous@10 b:@20 |                               |
`);
for (const [what, calls, actions, expected] of rows)
  test(what, () => {
    const ofCalls = calls.split(' ').map((text) => {
      const [id = '', number = '', at, reachedAt] = text.split(/[:@>]/);
      return missed(id, number, Number(at), reachedAt === undefined ? undefined : Number(reachedAt));
    });
    const ofActions = actions
      .split(' ')
      .filter(Boolean)
      .map((text) => {
        const [kind, at, number] = text.split(/[@:]/) as [CallerAction['kind'], string, string?];
        return did(kind, Number(at), number);
      });
    assert.equal(list(ofCalls, ofActions).join(', '), expected);
  });
