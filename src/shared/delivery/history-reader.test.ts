import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type HistoryEntry, queryHistory } from '../../../test/tools/fakes/fake-api-history.ts';
import type { ApiClient } from '../api/client.ts';
import { callStatuses } from '../api/contract/call-status.ts';
import type { ApiResult } from '../api/result.ts';
import { compare, type Delivered } from './compare.ts';
import { createHistoryReader, HistoryUnreadable } from './history-reader.ts';

type Query = Parameters<ApiClient['history']>[0];
type Answer = (query: Query, entries: readonly HistoryEntry[]) => { status?: number; body: unknown };

const answer = (status: number, body: unknown): ApiResult => ({
  kind: 'answer',
  status,
  contentType: 'application/json',
  truncated: false,
  durationMs: 1,
  body: JSON.stringify(body),
});

const params = ({ searchTerm, limit, next }: Query) =>
  new URLSearchParams({
    search: 'request',
    search_term: searchTerm,
    sort: '-created_at',
    limit: String(limit),
    ...Object.fromEntries(new URLSearchParams(next)),
  });

const right: Answer = (query, entries) => ({ body: queryHistory(entries, params(query), '/voice') });

/** A page that says nothing of what comes after it, and has at most this number of entries. */
const mute =
  (most: number): Answer =>
  (query, entries) => {
    const { data } = queryHistory(entries, params({ ...query, limit: Math.min(query.limit, most) }), '') as {
      data: unknown[];
    };
    return { body: { data, links: {}, meta: {} } };
  };

/** 400 calls of three events within five minutes, after 5,000 entries from before; some of them are not there. */
const { entries, delivered, lost } = scene();
function scene() {
  const entries: HistoryEntry[] = [];
  const record = (id: string, status: string) =>
    entries.push({
      id: entries.length + 1,
      request: JSON.stringify({ id, direction: 'inbound', status, from: '+4930' }),
      response: '{}',
      status: 200,
      duration: 1,
      created_at: new Date(entries.length).toISOString(),
    });
  for (let nth = 0; nth < 5_000; nth++) record(`pbx-${1_763_500_000 + nth}.${nth}`, 'ringing');
  const delivered: Delivered[] = [];
  const lost: string[] = [];
  for (let nth = 0; nth < 400; nth++) {
    const callId = `pbx-${1_763_600_000 + Math.floor(nth * 0.75)}.${nth}`;
    const isLost = nth % 80 === 7;
    for (const status of callStatuses) {
      delivered.push({ seq: delivered.length + 1, callId, status, at: 0 });
      if (isLost && status !== 'ringing') lost.push(`${callId} ${status}`);
      else record(callId, status);
    }
  }
  return { entries, delivered, lost };
}

const entriesOfQueries = entries.map((entry) => ({
  ...entry,
  request: new URLSearchParams(JSON.parse(entry.request)).toString(),
}));
const ids = new Map(entries.map((entry) => [entry, JSON.parse(entry.request).id]));

const waysToAnswer: Record<string, Answer> = {
  'as documented': right,
  'that does not count what comes after a page': (query, entries) => {
    const page = right(query, entries).body as { links: object; meta: object };
    const meta = { ...page.meta, total: null, last_page: null };
    return { body: { ...page, links: { ...page.links, last: null }, meta } };
  },
  'that says nothing of further pages': mute(1_000_000),
  'that gives 100 entries at most, and says that there is more': (query, entries) =>
    right({ ...query, limit: Math.min(query.limit, 100) }, entries),
  'that gives 100 entries at most, and does not say so': mute(100),
  'that refuses a limit over 100': (query, entries) =>
    query.limit > 100
      ? { status: 422, body: { message: 'The limit must not be greater than 100.' } }
      : right(query, entries),
  'that finds whole ids only': (query, entries) =>
    right(
      query,
      entries.filter((entry) => ids.get(entry) === query.searchTerm),
    ),
  'that records queries as they came': (query) => right(query, entriesOfQueries),
};

/** Reads the scene's history at an API that answers like this. */
function readerOf(respond: Answer) {
  let requests = 0;
  const reader = createHistoryReader(async (query) => {
    requests += 1;
    const { status = 200, body } = respond(query, entries);
    return answer(status, body);
  });
  return { reader, requests: () => requests };
}

describe('the history of an API', () => {
  for (const [name, respond] of Object.entries(waysToAnswer))
    test(`${name}: exactly what is missing is found missing`, async () => {
      const { reader } = readerOf(respond);
      const { missing, unread, overtaken } = compare(delivered, await reader.find(delivered, 2_000));
      assert.deepEqual(
        missing.map(({ callId, status }) => `${callId} ${status}`),
        lost,
      );
      assert.deepEqual([unread, overtaken], [[], []]);
    });

  test('it is read with no more requests than allowed', async () => {
    const { reader, requests } = readerOf(mute(100));
    await reader.find(delivered, 3);
    assert.equal(requests(), 3);
  });

  test('as documented, it is read with few requests', async () => {
    const { reader, requests } = readerOf(right);
    await reader.find(delivered, 1_000);
    assert.ok(requests() <= 20, `${requests()} requests`);
  });

  test('of a call whose id is the beginning of many others, nothing is called missing that further pages may have', async () => {
    const id = 'pbx-1763600000.4';
    const entryOf = (callId: string, nth: number): HistoryEntry => ({
      id: nth,
      request: JSON.stringify({ id: callId, status: 'ringing' }),
      response: '',
      status: 200,
      duration: 1,
      created_at: '',
    });
    for (const [respond, later, fate] of [
      [right, 50, 'there'],
      [right, 2_000, 'unread'],
      [mute(100), 2_000, 'unread'],
    ] as const) {
      const entries = [id, ...Array.from({ length: later }, (_, nth) => `${id}${nth}`)].map(entryOf);
      const reader = createHistoryReader(async (query) => answer(200, respond(query, entries).body));
      const delivered = [{ seq: 1, callId: id, status: 'ringing', at: 0 } as const];
      assert.equal(compare(delivered, await reader.find(delivered, 100))[fate].length, 1, `${later} later`);
    }
  });

  for (const [name, respond] of Object.entries(waysToAnswer))
    test(`${name}: never more requests than may be, and nothing is called missing for want of them`, async () => {
      for (const most of [0, 1, 2, 3, 5, 20]) {
        const { reader, requests } = readerOf(respond);
        const { missing } = compare(delivered, await reader.find(delivered, most));
        assert.ok(requests() <= most, `${requests()} of ${most}`);
        for (const { callId, status } of missing) assert.ok(lost.includes(`${callId} ${status}`), callId);
      }
    });

  test('a history that cannot be read says why', async () => {
    const page = createHistoryReader(async () => answer(200, 'a page'));
    await assert.rejects(page.entriesOf('pbx-1.1'), new HistoryUnreadable('HTTP 200'));
    const gone = createHistoryReader(async () => ({
      kind: 'failed',
      error: 'refused',
      detail: '',
      durationMs: 1,
    }));
    await assert.rejects(gone.understands('pbx-'), new HistoryUnreadable('connection refused'));
  });

  test("another account's history, and one of another shape, are not understood", async () => {
    const entry = { request: '{"id":"other-1.1","status":"ringing"}', created_at: '2026-11-20T00:00:00Z' };
    for (const data of [[], [entry], [{ what: 'pbx-1.1' }], ['pbx-1.1']]) {
      const reader = createHistoryReader(async () => answer(200, { data }));
      assert.equal(await reader.understands('pbx-'), false);
    }
    const ours = createHistoryReader(async () =>
      answer(200, { data: [{ payload: { id: 'pbx-1.1', status: 'x' } }] }),
    );
    assert.equal(await ours.understands('pbx-'), true);
  });
});
