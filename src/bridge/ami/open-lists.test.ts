import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOpenLists, type List } from './open-lists.ts';
import { fieldKey, readFields } from './wire/frame.ts';

/** An event's fields as they come from Asterisk. */
const fields = (values: Readonly<Record<string, string>>) =>
  readFields(
    Buffer.from(['Event: x', ...Object.entries(values).map((pair) => pair.join(': '))].join('\r\n')),
  );

function open(...ids: readonly string[]) {
  const lists = createOpenLists();
  const done: Record<string, List<string>> = {};
  for (const id of ids)
    lists.open(id, { item: 'Row', last: 'End', read: (values) => values(fieldKey('Name')) }, (list) => {
      done[id] = list;
    });
  return { lists, done };
}

test('lists that are read together each get their own items, until the last of them ends', () => {
  const { lists, done } = open('1', '2');
  for (const [ActionID, Name] of [
    ['1', 'a'],
    ['2', 'b'],
    ['1', 'c'],
  ] as const)
    assert.equal(lists.take('Row', fields({ ActionID, Name })), true);
  assert.equal(lists.take('End', fields({ ActionID: '1', ListItems: '2' })), true);
  assert.deepEqual(done, { 1: { ok: true, items: ['a', 'c'], isPartial: false } });
  assert.equal(lists.has('Row'), true);
  assert.equal(lists.take('End', fields({ ActionID: '2' })), true);
  assert.deepEqual(done['2'], { ok: true, items: ['b'], isPartial: false });
  assert.equal(lists.has('Row'), false);
});

for (const [what, rows, announced] of [
  ['an item that did not come', [{ Name: 'a' }], '2'],
  ['an item that cannot be read', [{ Name: 'a' }, {}], undefined],
] as const) {
  test(`a list lacks ${what}`, () => {
    const { lists, done } = open('1');
    for (const row of rows) lists.take('Row', fields({ ActionID: '1', ...row }));
    const count = announced === undefined ? {} : { ListItems: announced };
    lists.take('End', fields({ ActionID: '1', ...count }));
    assert.deepEqual(done['1'], { ok: true, items: ['a'], isPartial: true });
  });
}

test('events of no list, or of one that was closed, are not taken', () => {
  const { lists, done } = open('1');
  assert.equal(lists.take('Row', fields({ Name: 'a' })), false);
  assert.equal(lists.take('Row', fields({ ActionID: '2', Name: 'a' })), false);
  assert.equal(lists.take('Other', fields({ ActionID: '1' })), false);
  lists.close('1');
  assert.equal(lists.take('End', fields({ ActionID: '1' })), false);
  assert.equal(lists.has('End'), false);
  assert.deepEqual(done, {});
});
