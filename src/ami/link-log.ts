import type { Log } from '../log/log.ts';
import type { MessageCode } from '../log/messages.ts';
import { type AmiFailure, describeFailure } from './failure.ts';

/** How often a trouble that lasts is mentioned again. */
const remindMs = 5 * 60_000;

/** The message of each failure: what it means, and what to do about it. */
export const failureCodes: Readonly<Record<AmiFailure['kind'], MessageCode>> = {
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

/** Tells of the link's ups and downs: each trouble clearly once, then summed up for as long as it lasts. */
export type LinkLog = {
  up(at: number, version: string, channels: number): void;
  down(at: number, failure: AmiFailure): void;
};

export function createLinkLog(log: Log, address: string): LinkLog {
  let downSince: number | undefined;
  let told: { reason: string; at: number } | undefined;
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
    told = undefined;
    attempts = 0;
  }

  function down(at: number, failure: AmiFailure): void {
    downSince ??= at;
    attempts++;
    const reason = describeFailure(failure);
    if (told?.reason !== reason) log.say(failureCodes[failure.kind], { address, reason });
    else if (at - told.at >= remindMs) {
      log.say('ami.still-down', {
        address,
        reason,
        attempts,
        minutes: Math.round((at - downSince) / 60_000),
      });
    } else return;
    told = { reason, at };
  }

  return { up, down };
}
