import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type PersistentMap, persistentMap } from './persistent-map.ts';

const keys = fc.constantFrom('a', 'b', 'c', 'd');

test('every version, old or new, stays what it was: as if each were a copy', () => {
  const step = fc.record({ from: fc.nat(), key: keys, value: fc.option(fc.nat(9), { nil: undefined }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), fc.array(fc.nat(), { maxLength: 40 }), (steps, looks) => {
      const versions: [PersistentMap<number>, Map<string, number>][] = [[persistentMap(), new Map()]];
      const sortedOf = (entries: Iterable<[string, number]>) => [...entries].sort();
      const look = (index: number) => {
        const [map, copy] = versions[index % versions.length] as (typeof versions)[number];
        assert.deepEqual(sortedOf(map.entries()), sortedOf(copy));
        assert.equal(map.size, copy.size);
        for (const key of ['a', 'b', 'c', 'd']) {
          assert.equal(map.get(key), copy.get(key));
          assert.equal(map.has(key), copy.has(key));
        }
      };
      steps.forEach(({ from, key, value }, index) => {
        const [map, copy] = versions[from % versions.length] as (typeof versions)[number];
        const changed = new Map(copy);
        if (value === undefined) changed.delete(key);
        else changed.set(key, value);
        versions.push([value === undefined ? map.delete(key) : map.set(key, value), changed]);
        look(looks[index] ?? 0);
      });
      for (const index of versions.keys()) look(index);
    }),
    { numRuns: 2_000 },
  );
});

test('a change that changes nothing gives the same map', () => {
  const map = persistentMap([['a', 1]]);
  assert.equal(map.set('a', 1), map);
  assert.equal(map.delete('b'), map);
});
