import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Finding } from '../../src/cli/check/finding.ts';
import { managerUsers } from '../tools/lab/config.ts';
import { startFarEnd } from '../tools/lab/far-end.ts';
import { labImpossible, versions } from '../tools/lab/install.ts';
import { office } from '../tools/lab/offices.ts';
import type { Row } from '../tools/lab/row.ts';
import { playRow } from '../tools/lab/stage.ts';
import { runCommand } from '../tools/program/operator.ts';
import { temporaryFolder } from '../tools/program/program.ts';
import { openLab } from './lab.ts';
import { matrix } from './rows/all.ts';

const skip = labImpossible() ?? false;

/** The firms are offices of the lab, whose digit follows these in each number. */
const numbers = '+493023125';
const [firmA, firmB, nobody] = [1, 2, 3] as const;
const rules = (firm: number) => ({ REPORT_RULES: `report called ${numbers}${firm}*,ignore *` });

for (const version of versions)
  test(`several firms on one Asterisk ${version}: each bridge reports its own calls only`, {
    skip,
  }, async (t) => {
    const lab = await openLab(version);
    t.after(() => lab.stop());
    const amiPort = lab.pbx.ports.ami;
    const [a, b] = [
      await startFarEnd({ amiPort, settings: rules(firmA) }),
      await startFarEnd({ amiPort, settings: rules(firmB) }),
    ];
    for (const farEnd of [a, b]) t.after(() => farEnd.stop());
    const called = new Map<number, string[]>();
    for (const name of ['extension-caller-hangs-up', 'blind-transfer'])
      for (const firm of [firmA, firmB, nobody]) {
        const index = matrix.findIndex((row) => row.name === name);
        const { inbound } = await playRow({
          row: matrix[index] as Row,
          index,
          office: office(firm),
          ...lab,
        });
        called.set(firm, [...(called.get(firm) ?? []), ...inbound.map(({ uniqueid }) => uniqueid)]);
      }
    for (const [farEnd, firm] of [
      [a, firmA],
      [b, firmB],
    ] as const) {
      const own = called.get(firm) ?? [];
      assert.equal(own.length, 2);
      const isOver = (uniqueid: string) =>
        farEnd.receivedOf(uniqueid)?.reported.at(-1)?.status === 'completed';
      await farEnd.fakeApi.waitFor(() => own.every(isOver), 30_000);
      await farEnd.endBridge();
      assert.deepEqual(farEnd.uniqueids().sort(), own.sort());
    }

    const folder = join(temporaryFolder(t), 'etc');
    mkdirSync(folder);
    const { name, secret } = managerUsers.bridge;
    const write = (firm: string, settings: Readonly<Record<string, string>>) => {
      const all = { AMI_PORT: `${amiPort}`, AMI_USERNAME: name, AMI_SECRET: secret, ...settings };
      const lines = Object.entries(all).map(([key, value]) => `${key}=${value}\n`);
      writeFileSync(join(folder, `${firm}.env`), lines.join(''));
      return all;
    };
    const settingsOf = (farEnd: typeof a, firm: number) => ({
      API_BASE_URL: farEnd.fakeApi.baseUrl,
      API_TOKEN: `token-${firm}`,
      STATE_DIR: farEnd.state,
      AGI_LISTEN: 'off',
      STATUS_LISTEN: 'off',
      PBX_ID: 'lab',
      DEFAULT_COUNTRY: 'DE',
      ...rules(firm),
    });
    const own = write('firm-a', settingsOf(a, firmA));
    const findings = async () => {
      const { text } = await runCommand(
        ['check', '--json'],
        { ...own, ENV_FILE: join(folder, 'firm-a.env') },
        {},
      );
      const { findings } = JSON.parse(text) as { findings: Finding[] };
      return findings.filter(({ what }) => what === 'REPORT_RULES').map(({ result }) => result);
    };
    write('firm-b', settingsOf(b, firmB));
    const [none = '', ...more] = await findings();
    assert.match(
      none,
      /^calls to \+4930231253\d+, to \+4930231253\d+ are reported by none of firm-a, firm-b$/,
    );
    assert.deepEqual(more, []);
    write('firm-b', { ...settingsOf(b, firmB), REPORT_RULES: `ignore called ${numbers}${nobody}*` });
    const [both = '', ...rest] = await findings();
    assert.match(
      both,
      /^calls to \+4930231251\d+, to \+4930231251\d+ are reported by firm-a \(report called \S+\) and firm-b \(no rule ignores them\)$/,
    );
    assert.deepEqual(rest, []);
  });
