import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import type { CallExtras } from '../../src/api/contract/call-extras.ts';
import { spaced } from '../../src/phone-number/normalise-number.ts';
import { browserImpossible, openBrowser, signIn } from '../integration/browser.ts';
import { runProgram, temporaryFolder } from '../integration/program.ts';
import { until } from '../until.ts';
import { managerUsers } from './config.ts';
import { labImpossible, versions } from './install.ts';
import { openLab } from './lab.ts';
import { office } from './offices.ts';
import { expectedCalls, labSettings, type Row } from './row.ts';
import { matrix } from './rows/all.ts';
import { phone } from './sip-script.ts';
import { playRow } from './stage.ts';

/**
 * The whole way with nothing faked: a real Asterisk, the bridge and the Call Integration API service, each a process of
 * its own. What the API's own request history holds of each call is what must be reported of it, and a browser shows it.
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

    await t.test(
      'a browser shows a call ringing, answered and gone, and then among the records',
      {
        skip: browserImpossible() ?? false,
      },
      () => seenInBrowser(),
    );

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

    async function seenInBrowser(): Promise<void> {
      const link = async () => {
        const said = runProgram(['service', 'link'], { env: serviceEnv, cwd });
        await said.ended;
        return `${url}/sign-in#${/sign-in#(\S+)/.exec(said.output())?.[1]}`;
      };
      const { page, trouble } = await signIn(await openBrowser(t), { service: { link } });
      await page.getByRole('button', { name: 'Show calls' }).click();
      const shown = await watchBar(page);

      const index = matrix.findIndex(({ name }) => name === 'extension-caller-hangs-up');
      const found = matrix[index];
      assert.ok(found);
      const [call] = expectedCalls(found, index, office(1));
      const answeredBy = call?.reported.find(({ status }) => status === 'answered')?.caller_id;
      // Each state stays until the browser has had time to show it.
      const row: Row = {
        ...found,
        phones: { 1: phone.answers({ after: 3_000 }) },
        async play(stage) {
          const call = await stage.customerCalls();
          await stage.talk(call, 1);
          await shown.until(`pbx-${call.channel.uniqueid}`, `answered by ${answeredBy},`);
          call.hangsUp();
        },
      };
      const play = await playRow({ row, index, office: office(1), ...lab });
      const id = `pbx-${play.inbound[0]?.uniqueid}`;
      await shown.until(id, 'gone');
      assert.deepEqual(await shown.of(id), ['ringing', `answered by ${answeredBy},`, 'ended after', 'gone']);

      await page.goto(`${url}/calls/details?${new URLSearchParams({ id })}`);
      const record = await page.locator('main').innerText();
      for (const part of ['answered', answeredBy ?? '', spaced(call?.from ?? '')])
        assert.ok(record.includes(part), part);
      await page.goto(`${url}/calls`);
      await page
        .locator(`a[href*="${encodeURIComponent(id)}"]`)
        .first()
        .waitFor();
      await page.goto(`${url}/reports`);
      const figures = await page
        .locator('.tiles > div')
        .evaluateAll((tiles) =>
          tiles
            .slice(0, 3)
            .map(
              (tile) => `${tile.querySelector('dt')?.textContent} ${tile.querySelector('dd a')?.textContent}`,
            ),
        );
      assert.deepEqual(figures, ['Calls 1', 'Answered 1', 'Missed 0']);
      assert.deepEqual(trouble, []);
    }

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

/** Notes what the bar says of each call, up to its seconds; gives it for one, each word once. */
async function watchBar(page: Page) {
  await page.evaluate(`globalThis.said = {};
    new MutationObserver(() => {
      const cards = new Map([...document.querySelectorAll('[data-call]')].map((card) =>
        [card.dataset.call, card.querySelector('.what').textContent.replace(/\\d+:\\d\\d.*/s, '').trim()]));
      for (const id of new Set([...Object.keys(said), ...cards.keys()])) {
        const list = said[id] ??= [];
        const word = cards.get(id) ?? 'gone';
        if (list.at(-1) !== word) list.push(word);
      }
    }).observe(document.getElementById('bar'), { childList: true, subtree: true, characterData: true })`);
  const of = async (id: string) => ((await page.evaluate('said')) as Record<string, string[]>)[id] ?? [];
  return {
    of,
    /** Resolves when this is what it says of a call. */
    until: (id: string, word: string) =>
      until(`the bar says ${word}`, async () => (await of(id)).at(-1) === word, { state: () => of(id) }),
  };
}

const byName = (event: Record<string, unknown>) => Object.fromEntries(Object.entries(event).sort());
