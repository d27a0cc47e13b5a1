import type { Log } from '../shared/log/log.ts';
import { noDecisions } from './calls/decisions.ts';
import type { Report } from './calls/effect.ts';
import { answererOf } from './calls/open-call.ts';
import type { LiveCalls } from './cdr/live-calls.ts';
import type { Appended } from './outbox/outbox.ts';

export type CallLog = ReturnType<typeof createCallLog>;

/** Logs and counts what becomes of calls. */
export function createCallLog(log: Log) {
  const counts = { ringing: 0, answered: 0, completed: 0, repeated: 0 };
  const decided = noDecisions();

  /** A call begins whose beginning is on disk already: it is another one with the same Uniqueid. */
  function repeatedCall(id: string): void {
    counts.repeated += 1;
    if (counts.repeated === 1) log.say('call.uniqueid-repeated', { call: id });
  }

  /** A decision of the tracker, or of the gap filler. */
  const logDecision: LiveCalls['logDecision'] = (decision, id, why) => {
    decided[decision] += 1;
    log.say(`call.${decision}`, { call: id, why });
  };

  return {
    logDecision,
    countReport(status: Report['status']): void {
      counts[status] += 1;
    },
    /** These reports are on disk; those of `repeated` were before. */
    stored(reports: readonly Report[], repeated: Appended['repeated']): void {
      const again = new Set(repeated.map(({ callId, status }) => `${callId} ${status}`));
      for (const report of reports) {
        const isRepeated = again.has(`${report.id} ${report.status}`);
        logReport(log, report, isRepeated);
        if (isRepeated && report.status === 'ringing') repeatedCall(report.id);
      }
    },
    counts: () => ({ ...counts, decided: { ...decided } }),
  };
}

function logReport(
  log: Log,
  { id, status, from, callerId, outcome = '' }: Report,
  isRepeated: boolean,
): void {
  if (isRepeated) log.say('call.repeated', { call: id, status });
  else
    log.say(`call.${status}`, {
      call: id,
      from,
      outcome,
      ...(status === 'answered' && { answerer: answererOf(callerId) }),
      ...(callerId !== undefined && { callerId }),
    });
}
