import { messageOf } from '../process/message-of.ts';
import type { AlertTarget } from './alert-targets.ts';
import { problem } from './problem.ts';

/** Sends a test to each target. Returns for each a line, and whether it was accepted. */
export function sendTestAlert(targets: readonly AlertTarget[], now: number) {
  const { key: _, ...test } = problem('test', 'problem.test', {});
  const notice = { ...test, state: 'began', since: now, times: 1, flaps: false } as const;
  return Promise.all(
    targets.map(async (target) => {
      try {
        await target.send([notice]);
        return { ok: true, line: `accepted: ${target.name}` };
      } catch (error) {
        return { ok: false, line: `FAILED: ${target.name}: ${messageOf(error)}` };
      }
    }),
  );
}

/** Printed if nothing is configured. */
export const noTargets =
  'no alerts are configured: set ALERT_MAIL (with SMTP_URL and MAIL_FROM) or ALERT_WEBHOOK';
