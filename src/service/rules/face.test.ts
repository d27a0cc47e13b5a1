import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faceOf } from './face.ts';

test('the letters of a face are those by which people know a name', () => {
  const letters = (name: string) => faceOf(name).letters;
  // biome-ignore format: one case a line
  const cases = [
    ['Anna Maier', 'AM'],
    ['Kontor Neun GmbH', 'KN'],
    ['bilal', 'BI'],
    ['Œ', 'Œ'],
    ['A', 'A'],
    ['Dr. Anneke Petersen', 'DA'],
    ['Hausverwaltung Schröder-Bartholomäus & Söhne', 'HS'],
    ['2. Werkstatt Nord', 'WN'],
    ['ליאת מזרחי', 'למ'],
    ['李雷', '李雷'],
    ['e\u0301mile zola', 'ÉZ'],
    ['नमस्ते दुनिया', 'नदु'],
    ['+49 30 901820', ''],
    ['1001', ''],
    ['☕', ''],
    ['', ''],
  ] as const;
  for (const [name, expected] of cases) assert.equal(letters(name), expected, name);
});

test('a face keeps its colour, and different people have different ones', () => {
  const names = Array.from({ length: 60 }, (_, n) => `Person ${n}`);
  const tints = names.map((name) => faceOf(name).tint);
  assert.deepEqual(
    tints,
    names.map((name) => faceOf(` ${name} `).tint),
  );
  assert.deepEqual([...new Set(tints)].sort(), [1, 2, 3, 4, 5, 6]);
});
