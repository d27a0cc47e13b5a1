import type { Snapshot } from '../calls/input.ts';

/**
 * Order of a session's inputs. A snapshot comes first, then the inputs that arrived while it was read, then the others
 * as they arrive. Later snapshots replace events that were lost.
 */
export type SnapshotFlow = {
  readonly stage: Stage;
  /** Whether a snapshot was handed on: another in which channels are missing would end their calls. */
  readonly hasSnapshot: boolean;
  /** Whether a timer runs for the next one. */
  readonly isResyncDue: boolean;
};

type Stage =
  /** A snapshot is being read, and inputs are held. `hasTooLong`, `hasRefused`: such events came since it began. */
  | {
      readonly name: 'reading';
      readonly attempt: 1 | 2;
      readonly hasTooLong: boolean;
      readonly hasRefused: boolean;
    }
  /** Inputs are handed on behind those that were held. */
  | { readonly name: 'handing-on' }
  | { readonly name: 'live' }
  | { readonly name: 'ended' };

export type SnapshotEvent =
  /** An event could not be used; `isNeeded`: a snapshot says what it said. */
  | { readonly type: 'too-long' | 'refused'; readonly isNeeded: boolean }
  /** `isPartial`: some of its channels could not be read. */
  | { readonly type: 'read'; readonly snapshot: Snapshot; readonly isPartial: boolean }
  /** No input is held any more. */
  | { readonly type: 'handed-on' }
  /** The timer for the next snapshot has fired. */
  | { readonly type: 'resync' }
  /** The connection has ended. */
  | { readonly type: 'ended' };

export type SnapshotEffect =
  | { readonly type: 'read' }
  /** Starts the timer that causes `resync`. */
  | { readonly type: 'resync-later' }
  /** Hands on the snapshot, if there is one, then the held inputs. */
  | { readonly type: 'hand-on'; readonly snapshot?: Snapshot }
  /** Hands on all held inputs at once: they would come after the snapshot of the next connection. */
  | { readonly type: 'flush' };

type Step = readonly [SnapshotFlow, ...SnapshotEffect[]];

const reading: Stage = { name: 'reading', attempt: 1, hasTooLong: false, hasRefused: false };

/** While the first snapshot is read. */
export const firstSnapshot: SnapshotFlow = { stage: reading, hasSnapshot: false, isResyncDue: false };

export function nextSnapshot(flow: SnapshotFlow, event: SnapshotEvent): Step {
  const { stage } = flow;
  if (stage.name === 'ended') return [flow];
  switch (event.type) {
    case 'too-long':
    case 'refused': {
      const next = noteLoss(flow, event.type);
      return event.isNeeded ? resyncLater(next) : [next];
    }
    case 'read':
      return handOn(flow, event);
    case 'handed-on':
      return [{ ...flow, stage: { name: 'live' } }];
    case 'resync': {
      const next = { ...flow, isResyncDue: false };
      // A snapshot that is being read already may be older than the loss.
      return stage.name === 'live' ? [{ ...next, stage: reading }, { type: 'read' }] : resyncLater(next);
    }
    case 'ended': {
      const next: SnapshotFlow = { ...flow, stage: { name: 'ended' } };
      return stage.name === 'handing-on' ? [next, { type: 'flush' }] : [next];
    }
  }
}

function noteLoss(flow: SnapshotFlow, type: 'too-long' | 'refused'): SnapshotFlow {
  const { stage } = flow;
  if (stage.name !== 'reading') return flow;
  const noted = type === 'too-long' ? { hasTooLong: true } : { hasRefused: true };
  return { ...flow, stage: { ...stage, ...noted } };
}

function handOn(flow: SnapshotFlow, { snapshot, isPartial }: Extract<SnapshotEvent, { type: 'read' }>): Step {
  const { stage, hasSnapshot } = flow;
  if (stage.name !== 'reading') return [flow];
  // A channel that is missing because its frame was too long would end its call.
  if (stage.hasTooLong && stage.attempt === 1)
    return [{ ...flow, stage: { ...stage, attempt: 2 } }, { type: 'read' }];
  const next: SnapshotFlow = { ...flow, stage: { name: 'handing-on' }, hasSnapshot: true };
  if (!hasSnapshot || !(isPartial || stage.hasRefused)) return [next, { type: 'hand-on', snapshot }];
  const [later, ...effects] = resyncLater(next);
  return [later, ...effects, { type: 'hand-on' }];
}

function resyncLater(flow: SnapshotFlow): Step {
  return flow.isResyncDue ? [flow] : [{ ...flow, isResyncDue: true }, { type: 'resync-later' }];
}
