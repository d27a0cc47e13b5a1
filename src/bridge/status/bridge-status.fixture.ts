import { noDecisions } from '../calls/decisions.ts';
import { type BridgeStatus, readinessProblems } from './bridge-status.ts';

/** 2026-11-20 14:00:00 UTC */
export const noon = Date.UTC(2026, 10, 20, 14);

const minute = 60_000;

type Changes = { [K in keyof BridgeStatus]?: Partial<BridgeStatus[K]> };

/** The status of a healthy bridge, with changes. */
export function statusWith({
  pbx,
  calls,
  outbox,
  delivery,
  lookups,
  callBacks,
  alerts,
  log,
}: Changes = {}): BridgeStatus {
  const status = {
    version: '1.2.3',
    pbxId: 'pbx',
    startedAt: noon - 60 * minute,
    now: noon,
    pbx: {
      state: 'up',
      address: '127.0.0.1:5038',
      since: noon - 50 * minute,
      version: '22.10.0',
      lastEventAt: noon - 9_000,
      lastPongAt: noon - 2_000,
      attempts: 0,
      lostAt: [],
      connects: 1,
      bytesIn: 4_000,
      lineBreaks: 0,
      events: { used: 31, ignored: 12, bad: 0, lost: 0, failed: 0 },
      ...pbx,
    },
    calls: {
      open: 2,
      ringing: 5,
      answered: 3,
      completed: 3,
      decided: noDecisions(),
      journalDropped: 0,
      repeated: 0,
      ...calls,
    },
    outbox: {
      queued: 11,
      delivered: 11,
      waiting: 0,
      dead: 0,
      lost: 0,
      storage: { state: 'working' },
      commits: 22,
      uncommitted: 0,
      lastCommitAt: noon - 8_000,
      ...outbox,
    },
    delivery: {
      state: 'ok',
      since: noon - 60 * minute,
      inFlight: 0,
      unrecorded: 0,
      delivered: 11,
      failedAttempts: 0,
      deadLetters: 0,
      lastDeliveredAt: noon - 8_000,
      ...delivery,
    },
    lookups: lookups && {
      found: 0,
      notFound: 0,
      timeout: 0,
      error: 0,
      cached: 0,
      listening: true,
      ...lookups,
    },
    callBacks: callBacks && { state: 'ok', waiting: 0, reported: 0, ...callBacks },
    alerts: { problems: [], over: [], sent: 0, unsent: [], ...alerts },
    log: { dropped: 0, ...log },
  } as Omit<BridgeStatus, 'ready' | 'reasons'>;
  const reasons = readinessProblems(status);
  return { ...status, ready: reasons.length === 0, reasons };
}
