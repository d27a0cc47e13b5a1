import { type CallRecord, type CallTimes, rangFor, talkedFor } from './call-record.ts';

/** What call reports count, by hour of the call's start. Durations in ms. */
export type Figures = {
  readonly calls: number;
  readonly answered: number;
  readonly completed: number;
  readonly missed: number;
  readonly rangMs: number;
  readonly talkedMs: number;
};

const none: Figures = { calls: 0, answered: 0, completed: 0, missed: 0, rangMs: 0, talkedMs: 0 };

/** What one call adds to the figures as it stands. */
export function figuresOf(call: (CallTimes & Pick<CallRecord, 'status' | 'missed'>) | undefined): Figures {
  if (call === undefined) return none;
  return {
    calls: 1,
    answered: call.answeredAt !== null || call.missed === false ? 1 : 0,
    completed: call.status === 'completed' ? 1 : 0,
    missed: call.missed === true ? 1 : 0,
    rangMs: rangFor(call) ?? 0,
    talkedMs: talkedFor(call) ?? 0,
  };
}

/** `sum` plus what changed from one state of a call to the next. */
export function addChange(
  sum: Figures | undefined,
  before: CallRecord | undefined,
  after: CallRecord,
): Figures {
  const from = figuresOf(before);
  const to = figuresOf(after);
  const base = sum ?? none;
  return {
    calls: base.calls + to.calls - from.calls,
    answered: base.answered + to.answered - from.answered,
    completed: base.completed + to.completed - from.completed,
    missed: base.missed + to.missed - from.missed,
    rangMs: base.rangMs + to.rangMs - from.rangMs,
    talkedMs: base.talkedMs + to.talkedMs - from.talkedMs,
  };
}

/** The hour that a call's figures belong to: whole hours since 1970, UTC. */
export function hourOf(call: CallRecord): number {
  return Math.floor(call.startedAt / 3_600_000);
}
