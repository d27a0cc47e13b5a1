import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { ProblemCode } from '../../src/shared/alerts/problem.ts';
import { startReceivers, unfolded } from './alert-receivers.ts';
import { bridgeCauses } from './bridge-causes.ts';
import { type Cause, Impossible } from './cause.ts';
import { serviceCauses } from './service-causes.ts';

const causes: Record<ProblemCode, Cause> = { ...bridgeCauses, ...serviceCauses };

/** Causes each problem for real: it arrives once by mail and once at the webhook, with what to do. */
describe('each problem', { concurrency: 3 }, () => {
  for (const code of Object.keys(causes) as ProblemCode[])
    test(code, { timeout: 300_000 }, async (t: TestContext) => {
      const to = await startReceivers(t);
      try {
        await causes[code](t, to);
      } catch (error) {
        if (!(error instanceof Impossible)) throw error;
        return t.skip(error.message);
      }
      await to.until(`${code} began`);
      const of = to.alerts().filter((alert) => alert.code === code && alert.state === 'began');
      assert.equal(of.length, 1, JSON.stringify(to.announced()));
      const [alert = assert.fail()] = of;
      assert.ok(alert.what.length > 10 && alert.remedy.length > 5, JSON.stringify(alert));
      assert.ok(Math.abs(Date.now() - Date.parse(alert.since)) < 7 * 3_600_000, alert.since);
      const mails = to.mail.received.filter(
        ({ data }) => unfolded(data).includes(`Code: ${code}`) && data.includes('PROBLEM: '),
      );
      assert.equal(mails.length, 1);
    });
});
