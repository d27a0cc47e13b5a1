import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { createMetrics } from '../../src/bridge/status/metrics.ts';
import { createMeter } from '../../src/service/upkeep/meter.ts';

const read = (name: string) => readFileSync(new URL(`../../config/${name}`, import.meta.url), 'utf8');

for (const { program, metrics, files } of [
  {
    program: 'bridge',
    metrics: createMetrics({ withProcess: false }).list(),
    files: ['grafana-dashboard.json', 'alerts.yml'],
  },
  {
    program: 'service',
    metrics: createMeter().list(),
    files: ['grafana-dashboard-service.json', 'alerts-service.yml'],
  },
])
  describe(program, () => {
    const known = new Map(metrics.map((metric) => [metric.name, metric]));
    const ofAll = new Set(['instance', 'le', 'job', ...metrics.flatMap(({ labels }) => labels)]);

    for (const file of files)
      test(`${file} uses only existing metrics and labels`, () => {
        const text = read(file).replaceAll('\\"', '"');
        const used = [...text.matchAll(/pbx_(?:bridge|service)_[a-z0-9_]+/g)].map(([name]) => name);
        assert.ok(used.length > 5);
        for (const name of used) {
          const base = name.replace(/_(bucket|count|sum)$/, '');
          assert.ok(known.has(name) || known.get(base)?.type === 'histogram', `no metric ${name}`);
        }
        for (const [, labels = ''] of text.matchAll(/by \(([a-z_, ]+)\)/g))
          for (const label of labels.split(/, */)) assert.ok(ofAll.has(label), `no label ${label}`);
        // Those in braces, beside the dashboard's variables.
        for (const [, labels = ''] of text.matchAll(/[a-z]\{([^{}$]+=[^{}]*)\}/g))
          for (const [, label = ''] of labels.matchAll(/([a-z_]+)=/g))
            assert.ok(ofAll.has(label), `no label ${label} in {${labels}}`);
      });
  });
