import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createMetrics } from './metrics.ts';

const known = new Map(
  createMetrics({ withProcess: false })
    .list()
    .map((metric) => [metric.name, metric]),
);
const read = (name: string) => readFileSync(new URL(`../../config/${name}`, import.meta.url), 'utf8');

for (const file of ['grafana-dashboard.json', 'alerts.yml'])
  test(`${file} uses only existing metrics and labels`, () => {
    const text = read(file).replaceAll('\\"', '"');
    const used = [...text.matchAll(/pbx_bridge_[a-z_]+/g)].map(([name]) => name);
    assert.ok(used.length > 5);
    for (const name of used) {
      const base = name.replace(/_(bucket|count|sum)$/, '');
      assert.ok(known.has(name) || known.get(base)?.type === 'histogram', `no metric ${name}`);
    }
    const ofAll = new Set(['instance', 'le', 'job', ...[...known.values()].flatMap(({ labels }) => labels)]);
    for (const [, labels = ''] of text.matchAll(/by \(([a-z_, ]+)\)/g))
      for (const label of labels.split(/, */)) assert.ok(ofAll.has(label), `no label ${label}`);
  });

test('every alert has a name, a severity and a summary', () => {
  const rules = read('alerts.yml')
    .split(/^ {6}- alert: /m)
    .slice(1);
  assert.ok(rules.length >= 8);
  for (const rule of rules) {
    assert.match(rule, /^PbxBridge\w+\n/);
    assert.match(rule, /severity: (critical|warning|info)/);
    assert.match(rule, /summary: '.*\{\{ \$labels\.instance \}\}.*'|summary: '.*'/);
  }
});
