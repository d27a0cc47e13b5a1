import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatsFor } from '../kit/formats.ts';
import type { PageRequest, Pages } from '../kit/page-request.ts';
import { weekPages } from './weekly-report.ts';

test('who asks for the weekly report on Monday morning gets the one that is mailed at seven', async () => {
  const sent: string[] = [];
  const store = { weekly: { put: async (_: number, __: string, week: string) => void sent.push(week) } };
  const posts: ((request: PageRequest) => Promise<unknown>)[] = [];
  weekPages(
    {
      get: () => {},
      post: (...[, , handler]: never[]) => void posts.push(handler as never),
    } as unknown as Pages,
    store as unknown as Parameters<typeof weekPages>[1],
    false,
  );
  for (const now of ['2026-11-22T22:59Z', '2026-11-23T05:59Z', '2026-11-23T06:00Z'])
    await posts[0]?.({
      ...{ now: Date.parse(now), formats: formatsFor('Europe/Berlin'), user: { id: 1 } },
      ...{ form: new URLSearchParams({ address: 'a@example.com' }), audit: async () => {} },
    } as unknown as PageRequest);
  assert.deepEqual(sent, ['2026-11-09', '2026-11-09', '2026-11-16']);
});
