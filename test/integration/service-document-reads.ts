import assert from 'node:assert/strict';
import { historyArraySchema, historyPageSchema } from '../../src/shared/api/contract/history.ts';
import { type PriorityResult, priorityResultSchema } from '../../src/shared/api/contract/phone-number.ts';
import { type Answer, event } from '../tools/service/harness.ts';
import { freshId, refused, row, says, shaped } from './service-document-row.ts';

const nothingKnown: PriorityResult = {
  priority: null,
  segment: null,
  name: null,
  language: null,
  blocked: false,
  last_extension: null,
  last_answered_at: null,
  callback_extension: null,
};

/** Parts 4.2, 4.3, 5, 7, 8 and 9: lookups, history, authentication, errors, limits, paths. */
export const readRows = [
  row(
    '4.2',
    'GET /voice/priority and POST /voice/priority give the priority of the segment the matching customer is in.',
    'priority-result',
    async ({ a, ask }) => {
      const found = await ask('/voice/priority?number=+4930901820', a);
      assert.equal(found.status, 200);
      const { priority, segment, name } = found.json as PriorityResult;
      assert.deepEqual(
        { priority, segment, name },
        { priority: 10, segment: 'VIP', name: "Alpha's customer" },
      );
      shaped(priorityResultSchema, found);
      const body = { number: '030 901820' };
      const posted = await ask('/voice/priority', { token: a.token, method: 'POST', body });
      assert.deepEqual(posted.json, found.json);
      const unknown = await ask('/voice/priority?number=+4930901830', a);
      assert.deepEqual([unknown.status, unknown.json], [200, nothingKnown]);
    },
  ),
  row('4.2', 'Name of the number parameter: not shown.', 'priority-parameter', async ({ a, ask }) => {
    refused(await ask('/voice/priority', a), 'number');
    refused(await ask('/voice/priority', { token: a.token, method: 'POST', body: {} }), 'number');
    refused(await ask('/voice/priority?number=anonymous', a), 'number');
  }),
  row(
    '4.3',
    'The response of a list in the history: not shown.',
    'history-of-lists',
    async ({ a, history, page }) => {
      const all = await history(a.token);
      const three = await page(a.token, '?limit=3');
      const { data } = await page(a.token, '?sort=-created_at&limit=2');
      const idsOf = (entries: { id: number }[]) => entries.map(({ id }) => id);
      assert.deepEqual(
        data.map(({ path, status, response }) => [path, status, response]),
        [
          ['/api/v1/voice', 200, { ...three, data: idsOf(three.data) }],
          ['/api/v1/voice', 200, all.length > 200 ? null : idsOf(all)],
        ],
      );
    },
  ),
  row(
    '4.3',
    'search works only together with search_term, and the other way round.',
    'history-search',
    async ({ id, a, post, ask, page }) => {
      refused(await ask('/voice?search=request', a), 'search_term');
      refused(await ask('/voice?search_term=x', a), 'search');
      refused(await ask('/voice?search=nothing&search_term=x', a), 'search');
      const { result } = (await post(a.token, event({ id, caller_id: `needle ${id}` }))).json as {
        result: string;
      };
      await post(a.token, event({ id: `${id}0` }));
      const found = async (search: string, term: string) =>
        (await page(a.token, `?search=${search}&search_term=${encodeURIComponent(term)}&limit=1000`)).meta
          .total;
      assert.equal(await found('request', id), 2, 'its events, and what holds it as a text');
      const before = await found('request', 'ringing');
      await post(a.token, event({ id: 'ringing' }));
      const more = await found('request', 'ringing');
      assert.equal(more, (before ?? Number.NaN) + 1, 'this event, and not the search before it');
      assert.equal(await found('request', `needle ${id}`), 1);
      assert.equal(await found('request', `NEEDLE ${id}`), 0);
      assert.equal(await found('response', result), 1);
    },
  ),
  row(
    '4.3',
    'sort is a field name; a leading minus sign means descending.',
    'history-sort',
    async ({ a, post, ask, history }) => {
      for (let n = 0; n < 3; n += 1) await post(a.token, event({ id: freshId() }));
      const times = (entries: { created_at: string }[]) => entries.map(({ created_at }) => created_at);
      const up = times(await history(a.token, '?sort=created_at'));
      const down = times(await history(a.token, '?sort=-created_at'));
      assert.deepEqual(up, up.toSorted());
      assert.deepEqual(down.slice(1), up.toReversed(), 'but for the request that asked the first list');
      for (const sort of ['nothing', 'duration', '--created_at', '-']) {
        refused(await ask(`/voice?sort=${sort}`, a), 'sort');
      }
    },
  ),
  row(
    '4.3, 8',
    'limit is given: object with data, links and meta.',
    'history-pages',
    async ({ b, post, ask, page }) => {
      for (let n = 0; n < 7; n += 1) await post(b.token, event({ id: freshId() }));
      const first = await ask('/voice?limit=3&sort=-created_at', b);
      shaped(historyPageSchema, first);
      const seen: number[] = [];
      let next: string | null = `/voice?limit=3&sort=created_at&search=request&search_term=row-`;
      for (let turns = 0; next !== null && turns < 99; turns += 1) {
        const { data, links, meta } = (await ask(next, b)).json as Awaited<ReturnType<typeof page>>;
        assert.equal(meta.current_page, turns + 1);
        assert.deepEqual([meta.from, meta.to], [seen.length + 1, seen.length + data.length]);
        seen.push(...data.map(({ id }) => id));
        next = links.next;
        if (next === null) assert.deepEqual([meta.total, meta.last_page], [seen.length, turns + 1]);
      }
      assert.equal(new Set(seen).size, seen.length);
      assert.ok(seen.length >= 7);
      const id = `${freshId()}?&x`; // an address may hold another question mark
      for (const status of ['ringing', 'answered']) await post(b.token, event({ id, status }));
      const found = await page(b.token, `?search_term=${id.replace('&', '%26')}&search=request&limit=1`);
      assert.match(
        (await page(b.token, new URL(found.links.next ?? '').search)).data[0]?.request ?? '',
        /answered/,
      );
      const past = await page(b.token, '?limit=3&page=999999');
      assert.deepEqual([past.data, past.meta.from, past.links.next], [[], null, null]);
      assert.equal((await page(b.token, '?limit=1001')).meta.per_page, 1000);
      assert.equal((await page(b.token, '?limit=')).meta.per_page, 15);
      for (const limit of ['0', '-1', '1e9', 'x', '2.5']) {
        refused(await ask(`/voice?limit=${limit}`, b), 'limit');
      }
      refused(await ask('/voice?page=2', b), 'limit');
      refused(await ask('/voice?limit=3&page=0', b), 'page');
    },
  ),
  row('4.3, 8', 'limit is omitted: bare array holding the entire history.', '', async ({ a, ask, page }) => {
    const { total } = (await page(a.token, '?limit=1')).meta;
    const answer = await ask('/voice', a);
    shaped(historyArraySchema, answer);
    assert.equal((answer.json as unknown[]).length, (total ?? Number.NaN) + 1);
  }),
  row(
    '5.1',
    'Every request carries the token in the header Authorization: Bearer.',
    '',
    async ({ a, ask }) => {
      for (const scheme of ['Bearer', 'bearer']) {
        const answer = await ask('/voice?limit=1', { headers: { authorization: `${scheme} ${a.token}` } });
        assert.equal(answer.status, 200);
      }
      for (const authorization of [a.token, `Basic ${a.token}`, 'Bearer', `Bearer ${a.token} x`]) {
        says(await ask('/voice?limit=1', { headers: { authorization } }), 401);
      }
    },
  ),
  row(
    '5.4',
    'A request that fails authentication leaves no entry in the request history.',
    '',
    async ({ a, post, ask, page }) => {
      const total = async () => (await page(a.token, '?limit=1')).meta.total ?? Number.NaN;
      const before = await total();
      await post(`${a.token.slice(0, -1)}x`, event({ id: freshId() }));
      await ask('/voice');
      assert.equal(await total(), before + 1, 'the request that asked, alone');
    },
  ),
  row(
    '5.5, 7',
    'Authentication fails: 401 with Accept: application/json, else a 302 redirect to a browser page.',
    '',
    async ({ a, ask, url }) => {
      const wrong = a.token.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
      const unknown = `cia_${'0'.repeat(80)}`;
      const answers: Answer[] = [];
      for (const token of ['', wrong, unknown, 'x', `${a.token}0`, '\u00e9']) {
        for (const path of ['/voice', '/voice/call', '/voice/priority', '/nothing']) {
          answers.push(await ask(path, { token }));
        }
      }
      for (const answer of answers) {
        says(answer, 401);
        const own = { date: '', 'x-request-id': '' };
        assert.deepEqual({ ...answer.headers, ...own }, { ...answers[0]?.headers, ...own });
        assert.equal(answer.text, answers[0]?.text);
      }
      for (const accept of ['*/*', 'text/html', '', 'application/xml']) {
        const answer = await ask('/voice', { headers: { accept } });
        assert.equal(answer.status, 302);
        const page = await ask(new URL(String(answer.headers.location), url).href);
        assert.equal(page.status, 200);
        assert.match(String(page.headers['content-type']), /^text\/html/);
      }
      assert.equal(
        (await ask('/voice', { headers: { accept: 'text/html, application/json;q=0.9' } })).status,
        401,
      );
    },
  ),
  row(
    '5.5',
    'The header Accept: application/json; other ways to ask for JSON: not shown.',
    'json-wanted',
    async ({ ask }) => {
      for (const accept of [
        'application/problem+json',
        'application/vnd.api+json, */*',
        'application/*',
        'APPLICATION/JSON',
      ])
        says(await ask('/voice', { headers: { accept } }), 401);
      for (const accept of ['*/*', 'text/html, */*;q=0.1', 'application/xhtml+xml', 'application/jsonp'])
        assert.equal((await ask('/voice', { headers: { accept } })).status, 302);
    },
  ),
  row('5, 7', 'What other answers do without Accept: not shown.', 'always-json', async ({ a, ask }) => {
    const headers = { accept: 'text/html' };
    refused(await ask('/voice/call', { token: a.token, headers }), 'id', 'direction', 'status');
    assert.equal((await ask('/voice?limit=1', { token: a.token, headers })).status, 200);
  }),
  row(
    '4, 9',
    'Every path is relative to the base address, which ends in /api/v1; others: not shown.',
    'unknown-path',
    async ({ a, ask, page, url }) => {
      says(await ask('/voice/nothing', a), 404);
      says(await ask('/voices', a), 404);
      says(await ask('/voice/%ZZ', a), 404);
      says(await ask('/voice/%ZZ'), 401);
      assert.equal((await page(a.token, '?sort=-created_at&limit=1')).data[0]?.path, '/api/v1/voice/%ZZ');
      for (const [method, path, allow] of [
        ['PUT', '/voice/call', 'POST, GET'],
        ['POST', '/voice', 'GET'],
        ['DELETE', '/voice', 'GET'],
      ] as const) {
        const answer = await ask(path, { token: a.token, method });
        says(answer, 405);
        assert.equal(answer.headers.allow, allow);
      }
      const head = await ask('/voice/call?id=head&direction=inbound&status=ringing&from=1', {
        token: a.token,
        method: 'HEAD',
      });
      assert.deepEqual([head.status, head.text], [405, '']);
      const { data } = await page(a.token, '?sort=-created_at&limit=2');
      assert.deepEqual(
        data.map(({ method, status }) => [method, status]),
        [
          ['HEAD', 405],
          ['DELETE', 405],
        ],
      );
      for (const path of ['/voice', '/api/voice', '/api/v2/voice', '/v1/voice']) {
        assert.equal((await ask(`${url}${path}`, a)).status, 404);
      }
    },
  ),
  row('8', 'Rate limits: not shown.', 'rate-limit', async ({ a, ask }) => {
    const { headers } = await ask('/voice?limit=1', a);
    assert.equal(
      Object.keys(headers).some((name) => name.startsWith('x-ratelimit')),
      false,
    );
  }),
];
