import type { ProblemCode } from '../../shared/alerts/problem.ts';
import type { Log } from '../../shared/log/log.ts';
import { isTooOld, OLDEST_ASTERISK } from './asterisk-version.ts';
import { type AmiFailure, describeFailure } from './failure.ts';

/** How often a failure that lasts is logged again. */
export const remindMs = 5 * 60_000;

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
export function createLinkLog(log: Log, address: string) {
  let downSince: number | undefined;
  let logged: { reason: string; at: number } | undefined;
  let attempts = 0;
  let named = '';

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

  /** Names a version that is too old, once. */
  function sayVersion(version: string): void {
    if (version === named || !isTooOld(version)) return;
    named = version;
    log.say('ami.old-asterisk', { version, oldest: OLDEST_ASTERISK });
  }

  return { up, down, version: sayVersion };
}

/** Counters over all connections of a link. */
export type AmiCounters = {
  bytesIn: number;
  bytesOut: number;
  /** Connections that got as far as a snapshot. */
  connects: number;
  /** Call events that became inputs. */
  events: number;
  /** Frames that were too long to keep. */
  tooLong: number;
  /** Events with a line break in a value. */
  lineBreaks: number;
  /** Events that are not as Asterisk writes them. */
  bad: number;
  /** Inputs whose consumer threw. */
  failed: number;
  /** Actions that were not answered in time, and that the bridge can do without. */
  readonly unanswered: Set<string>;
  /** When messages were logged that repeat, Unix ms. */
  readonly saidAt: Map<string, number>;
  /** Frames that were not needed, by the event's name; '' are frames that are neither event nor response. */
  readonly ignored: Map<string, number>;
};

/** A dialplan can make up event names, so not all are counted by name; the rest share one. */
const maxNames = 200;
export const otherNames = '(others)';

export function createCounters(): AmiCounters {
  return {
    bytesIn: 0,
    bytesOut: 0,
    connects: 0,
    ignored: new Map(),
    saidAt: new Map(),
    unanswered: new Set(),
    events: 0,
    tooLong: 0,
    lineBreaks: 0,
    bad: 0,
    failed: 0,
  };
}

/** @param name may be a slice of a bigger string: a copy is kept. */
export function countIgnored({ ignored }: AmiCounters, name: string): void {
  const count = ignored.get(name);
  if (count !== undefined) ignored.set(name, count + 1);
  else if (ignored.size < maxNames) ignored.set(Buffer.from(name).toString(), 1);
  else ignored.set(otherNames, (ignored.get(otherNames) ?? 0) + 1);
}
