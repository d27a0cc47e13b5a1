import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallExtras } from '../../src/api/contract/call-extras.ts';
import { runProgram, temporaryFolder } from '../integration/program.ts';
import { until } from '../until.ts';
import { managerUsers } from './config.ts';
import { labImpossible, versions } from './install.ts';
import { openLab } from './lab.ts';
import { office } from './offices.ts';
import { expectedCalls, labSettings } from './row.ts';
import { matrix } from './rows/all.ts';
import { playRow } from './stage.ts';

/**
 * The whole way with nothing faked: a real Asterisk, the bridge and the Call Integration API service, each a process of
 * its own. What the API's own request history holds of each call is what must be reported of it.
 */
const rows = [
  'extension-caller-hangs-up',
  'caller-gives-up',
  'queue-local-ringall',
  'blind-transfer',
  'follow-me-mobile',
];

const skip = labImpossible() ?? false;

type HistoryEntry = { readonly method: string; readonly request: string; readonly status: number };

for (const version of versions)
  test(`calls of a real Asterisk ${version} reach the service`, { skip }, async (t) => {
    const cwd = temporaryFolder(t);
    const serviceEnv = { SERVICE_LISTEN: '127.0.0.1:0', SERVICE_COUNTRY: 'DE' };
    const service = runProgram(['service'], { env: serviceEnv, cwd });
    t.after(() => service.end());
    const [, url] = await service.says(/"url":"([^"]+)"/);
    const printed = runProgram(['service', 'token'], { env: serviceEnv, cwd });
    assert.equal((await printed.ended).code, 0);
    const token = /API_TOKEN=(\S+)/.exec(printed.output())?.[1] ?? '';

    const lab = await openLab(version);
    t.after(() => lab.stop());
    const env = {
      AMI_PORT: `${lab.pbx.ports.ami}`,
      AMI_USERNAME: managerUsers.bridge.name,
      AMI_SECRET: managerUsers.bridge.secret,
      API_BASE_URL: `${url}/api/v1`,
      API_TOKEN: token,
      AGI_LISTEN: 'off',
      STATUS_LISTEN: 'off',
      ...labSettings,
    };
    const bridge = runProgram(['run'], { env, cwd });
    t.after(() => bridge.end());
    await bridge.says(/"code":"ami\.connected"/);

    for (const name of rows)
      await t.test(name, async () => {
        const index = matrix.findIndex((row) => row.name === name);
        const row = matrix[index];
        assert.ok(row);
        const play = await playRow({ row, index, office: office(1), ...lab });
        for (const [i, { from, reported }] of expectedCalls(row, index, office(1)).entries()) {
          const id = `pbx-${play.inbound[i]?.uniqueid}`;
          await bridge.says(new RegExp(`"code":"call.completed".*"call":"${id}"`));
          const sent = reported.map((event) => ({ id, direction: 'inbound', from, ...event }));
          const received = await historyOf(id, sent.length);
          assert.deepEqual(
            received.map(({ extras: _, ...event }) => event),
            sent.map(byName),
          );
          // The service's instructions, which the bridge was set up with, have API_EXTRAS=yes.
          for (const { extras } of received) {
            const { number_called, line } = extras as CallExtras;
            assert.match(`${number_called} ${line}`, /^\d{6,} PJSIP\/trunk$/);
          }
        }
      });

    /** The events of a call that the API has recorded, oldest first, once there are as many. */
    async function historyOf(id: string, count: number): Promise<Record<string, unknown>[]> {
      const query = new URLSearchParams({
        search: 'request',
        search_term: id,
        sort: 'created_at',
        limit: '10',
      });
      const headers = { Authorization: `Bearer ${token}`, Accept: 'application/json' };
      const look = async () => {
        const reply = await fetch(`${url}/api/v1/voice?${query}`, { headers });
        assert.equal(reply.status, 200);
        const { data: entries } = (await reply.json()) as { data: HistoryEntry[] };
        // A search is recorded too, with its term in it.
        const data = entries.filter(({ method }) => method === 'POST');
        return data.length >= count && data;
      };
      // Taken, and on its way.
      const data = await until(`${count} events of ${id} are in the history`, look);
      for (const { status } of data) assert.equal(status, 200);
      return data.map(({ request }) => byName(JSON.parse(request) as Record<string, unknown>));
    }
  });

const byName = (event: Record<string, unknown>) => Object.fromEntries(Object.entries(event).sort());
