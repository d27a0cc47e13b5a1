import type { ProblemCode } from '../../shared/alerts/problem.ts';
import type { Log } from '../../shared/log/log.ts';
import { type AmiFailure, describeFailure } from './failure.ts';

/** How often a failure that lasts is logged again. */
const remindMs = 5 * 60_000;

/** The log message of each failure. */
export const failureCodes: Readonly<Record<AmiFailure['kind'], ProblemCode>> = {
  unreachable: 'ami.unreachable',
  'connect-timeout': 'ami.unreachable',
  tls: 'ami.tls-refused',
  'not-asterisk': 'ami.not-asterisk',
  'login-refused': 'ami.login-refused',
  'no-reporting-class': 'ami.no-reporting-class',
  'no-call-class': 'ami.no-call-class',
  silent: 'ami.silent',
  lost: 'ami.lost',
};

/** Logs when the link goes up and down: each failure once, then a reminder every few minutes while it lasts. */
type LinkLog = {
  up(at: number, version: string, channels: number): void;
  down(at: number, failure: AmiFailure): void;
};

export function createLinkLog(log: Log, address: string): LinkLog {
  let downSince: number | undefined;
  let logged: { reason: string; at: number } | undefined;
  let attempts = 0;

  function up(at: number, version: string, channels: number): void {
    const downSeconds = downSince === undefined ? 0 : Math.round((at - downSince) / 1000);
    log.say('ami.connected', {
      address,
      version: version || '(unknown version)',
      channels,
      downSeconds,
      attempts,
    });
    downSince = undefined;
    logged = undefined;
    attempts = 0;
  }

  function down(at: number, failure: AmiFailure): void {
    downSince ??= at;
    attempts++;
    const reason = describeFailure(failure);
    if (logged?.reason !== reason) log.say(failureCodes[failure.kind], { address, reason });
    else if (at - logged.at >= remindMs) {
      log.say('ami.still-down', {
        address,
        reason,
        attempts,
        minutes: Math.round((at - downSince) / 60_000),
      });
    } else return;
    logged = { reason, at };
  }

  return { up, down };
}
