import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { UserRequest } from '../accounts/user-request.ts';
import { formatsFor } from '../kit/formats.ts';
import { chooseWeekly } from './weekly-report.ts';

test('who asks for the weekly report on Monday morning gets the one that is mailed at seven', async () => {
  const sent: string[] = [];
  const weekly = { put: async (_: number, __: string | null, week: string) => void sent.push(week) };
  for (const now of ['2026-11-22T22:59Z', '2026-11-23T05:59Z', '2026-11-23T06:00Z'])
    await chooseWeekly(
      {
        now: Date.parse(now),
        formats: formatsFor('Europe/Berlin'),
        user: { id: 1 },
        form: new URLSearchParams({ address: 'a@example.com' }),
        audit: async () => {},
      } as unknown as UserRequest,
      weekly,
      assert.fail,
    );
  assert.deepEqual(sent, ['2026-11-09', '2026-11-09', '2026-11-16']);
});
