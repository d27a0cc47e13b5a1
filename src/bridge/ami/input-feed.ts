import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../shared/process/clock.ts';
import type { Input, Snapshot } from '../calls/input.ts';
import { firstSnapshot, nextSnapshot, type SnapshotEffect, type SnapshotEvent } from './snapshot-flow.ts';

/** The least time between two snapshots that replace events that were too long or refused, ms. */
const RESYNC_MS = 10_000;
/**
 * Inputs held while a snapshot is read, 20 MB: two times 5 s of 3,000 events/s, more than any PBX makes; two times 20 s,
 * as long as the first attempt waits for answers behind others, of 1,250.
 */
export const maxHeld = 50_000;

/** How many of them are handed on in a turn of the event loop: priority lookups wait for it. */
const HELD_SLICE = 500;

type InputFeedTools = {
  readonly clock: Clock;
  readSnapshot(): Promise<Snapshot & { readonly isPartial: boolean }>;
  onInput(input: Input): void;
  /** More inputs came while a snapshot was read than can be held. */
  onOverflow(): void;
  onError(error: unknown): void;
};

export type InputFeed = ReturnType<typeof createInputFeed>;

/** Hands on the inputs of one session in their order (`SnapshotFlow`). */
export function createInputFeed({ clock, readSnapshot, onInput, onOverflow, onError }: InputFeedTools) {
  let flow = firstSnapshot;
  const held: Input[] = [];
  const started = Promise.withResolvers<Snapshot>();
  let cancelResync = (): void => {};

  function apply(event: SnapshotEvent): void {
    const [next, ...effects] = nextSnapshot(flow, event);
    flow = next;
    for (const effect of effects) carryOut(effect);
  }

  function carryOut(effect: SnapshotEffect): void {
    switch (effect.type) {
      case 'read':
        read().catch(onError);
        break;
      case 'resync-later':
        cancelResync = clock.setTimer(() => apply({ type: 'resync' }), RESYNC_MS);
        break;
      case 'hand-on':
        handOn(effect.snapshot).catch(onError);
        break;
      case 'flush':
        for (const input of held.splice(0)) onInput(input);
        break;
      default:
        effect satisfies never;
    }
  }

  async function read(): Promise<void> {
    const { isPartial, ...snapshot } = await readSnapshot();
    apply({ type: 'read', snapshot, isPartial });
  }

  async function handOn(snapshot: Snapshot | undefined): Promise<void> {
    if (snapshot !== undefined) onInput(snapshot);
    while (held.length > 0) {
      for (const input of held.splice(0, HELD_SLICE)) onInput(input);
      await nextTurn();
    }
    apply({ type: 'handed-on' });
    if (snapshot !== undefined && flow.stage.name === 'live') started.resolve(snapshot);
  }

  return {
    /** Resolves with the first snapshot, once it and the held inputs have been handed on; never if the session ends first. */
    start(): Promise<Snapshot> {
      read().catch(onError);
      return started.promise;
    },
    take(input: Input): void {
      if (flow.stage.name === 'live') onInput(input);
      else if (held.length < maxHeld) held.push(input);
      else onOverflow();
    },
    lose: (type: 'too-long' | 'refused', isNeeded: boolean): void => apply({ type, isNeeded }),
    end(): void {
      cancelResync();
      apply({ type: 'ended' });
    },
  };
}
