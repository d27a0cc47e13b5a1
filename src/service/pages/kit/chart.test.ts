import assert from 'node:assert/strict';
import { test } from 'node:test';
import { barChart, timeTicks } from './chart.ts';
import { render } from './html.ts';

const kinds = [
  { name: 'answered', style: 'answered' },
  { name: 'missed', style: 'missed' },
];
const draw = (bars: number[][]) =>
  render(
    barChart(
      { label: 'Calls', kinds },
      bars.map((parts, n) => ({ short: `${n}`, title: `bar ${n}`, parts })),
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

test('a time axis has customary steps', () => {
  assert.deepEqual(timeTicks(0), [0, 1]);
  assert.deepEqual(timeTicks(95), [0, 30, 60, 90, 120]);
  assert.deepEqual(timeTicks(3700), [0, 1800, 3600, 5400]);
  for (const most of [1, 59, 61, 7201, 90_000, 1_000_000]) {
    const ticks = timeTicks(most);
    assert.ok((ticks.at(-1) as number) >= most && ticks.length <= 6, `${most}: ${ticks}`);
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

test('of many bars only some have labels, fewer on narrow screens', () => {
  const named = (count: number) => {
    const classes = [
      ...draw(Array.from({ length: count }, () => [1])).matchAll(/<text( class="\w+")? x="[\d.]+%"/g),
    ].map(([, style]) => style ?? 'both');
    const of = (style: string) => classes.filter((one) => one.includes(style)).length;
    return { desk: of('both') + of('desk'), narrow: of('both') + of('narrow') };
  };
  for (const count of [1, 5, 7, 24, 31, 100, 336, 400]) {
    const { desk, narrow } = named(count);
    assert.ok(desk >= 1 && desk <= 16 && narrow >= 1 && narrow <= 5, `${count}: ${desk}, ${narrow}`);
  }
});
