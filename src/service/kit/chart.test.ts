import assert from 'node:assert/strict';
import { test } from 'node:test';
import { render } from '../words/html.ts';
import { barChart } from './chart.ts';

const kinds = [
  { name: 'answered', style: 'answered' },
  { name: 'missed', style: 'missed' },
];
const draw = (bars: number[][]) =>
  render(
    barChart(
      { label: 'Calls', kinds },
      bars.map((parts, n) => ({
        short: `${n}`,
        title: `bar ${n}`,
        parts,
        numbers: [`${parts[0]}`, '2'] as const,
      })),
    ),
  );
const axisOf = (svg: string) => [...svg.matchAll(/text-anchor="end">([^<]*)</g)].map(([, text]) => text);

test('an axis has evenly spaced whole numbers up to the highest bar or just above', () => {
  for (const most of [0, 1, 2, 3, 7, 10, 99, 1234, 5_000_000]) {
    const ticks = axisOf(draw([[most]])).map(Number);
    assert.ok(ticks.length >= 2 && ticks.length <= 7, `${ticks}`);
    assert.ok((ticks.at(-1) as number) >= most && ticks[0] === 0, `${most}: ${ticks}`);
    assert.equal(new Set(ticks.slice(1).map((tick, n) => tick - (ticks[n] as number))).size, 1, `${ticks}`);
    assert.ok(ticks.every(Number.isInteger));
  }
});

test('bars are stacked within the chart, without inline styles', () => {
  const svg = draw([
    [3, 1],
    [0, 0],
    [1, 0],
  ]);
  assert.doesNotMatch(svg, /style=|NaN|undefined|="-(?!1" ?>|1")/);
  const rects = [...svg.matchAll(/<rect class="(answered|missed)"[^>]* y="([\d.]+)" height="([\d.]+)"/g)];
  assert.deepEqual(
    rects.map(([, style, y, height]) => [style, Number(y), Number(height)]),
    [
      ['answered', 45, 135],
      ['missed', 0, 45],
      ['answered', 135, 45],
    ],
  );
});

test('numbers are written below the bars where they fit, else there is an axis', () => {
  const of = (bars: number, calls: number) => {
    const svg = draw(Array.from({ length: bars }, () => [calls, 1]));
    return [/numbers-(\w+)/.exec(svg)?.[1], svg.includes('class="number answered"')];
  };
  assert.deepEqual(of(7, 123), ['everywhere', true]);
  assert.deepEqual(of(31, 12), ['wide', true]);
  assert.deepEqual(of(31, 1234), ['nowhere', false]);
  assert.deepEqual(of(0, 0), ['everywhere', false]);
  const [only] = [draw([[3, 1]])];
  assert.match(only ?? '', /class="number answered"[^>]*>3<.*class="number missed"[^>]*>2</s);
});
