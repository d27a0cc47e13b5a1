import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { statusWith } from '../src/bridge/status/bridge-status.fixture.ts';
import { createMetrics } from '../src/bridge/status/metrics.ts';
import { createMeter } from '../src/service/upkeep/meter.ts';
import { cache } from './tools/debian-tree.ts';

const exec = promisify(execFile);
const promtool = path.join(cache, 'promtool');

/** Prometheus's own word on what we give it: Debian's promtool, unpacked and not installed, as that starts a server. */
async function fetchPromtool(): Promise<void> {
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(path.join(cache, 'prometheus-'));
  try {
    await exec('apt-get', ['download', 'prometheus'], { cwd: folder });
    const [deb = ''] = await readdir(folder);
    await exec('dpkg-deb', ['-x', deb, 'root'], { cwd: folder });
    await cp(path.join(folder, 'root/usr/bin/promtool'), promtool);
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe('Prometheus', async () => {
  let why: string | undefined;
  before(async () => {
    if (!existsSync(promtool))
      await fetchPromtool().catch((error) => (why = `no promtool: ${error.message}`));
  });

  test('takes the alert rules', async (t) => {
    if (why !== undefined) return t.skip(why);
    for (const name of ['alerts.yml', 'alerts-service.yml']) {
      const rules = fileURLToPath(new URL(`../config/${name}`, import.meta.url));
      const { stdout } = await exec(promtool, ['check', 'rules', rules]);
      assert.match(stdout, /SUCCESS: \d+ rules found/);
    }
  });

  test('finds nothing to say of the names and the words of the metrics', async (t) => {
    if (why !== undefined) return t.skip(why);
    const metrics = createMetrics({ withProcess: false });
    metrics.attempted(200, 12);
    metrics.delivered(40);
    const meter = createMeter();
    meter.responded('/api/v1/voice', 200, 12);
    const readings = {
      ...{ startedAt: 0, storageWorking: true, accounts: 1, integrations: 1, screens: 1 },
      webhooks: { delivered: 1, failed: 0, waiting: 0 },
      alerts: statusWith().alerts,
      backups: { lastAt: 1_000, failing: false },
    };
    for (const text of [await metrics.render(statusWith()), await meter.render(readings, '1.0.0')]) {
      const running = exec(promtool, ['check', 'metrics']);
      running.child.stdin?.end(text);
      const { stdout, stderr } = await running;
      assert.equal(stdout + stderr, '');
    }
  });
});
