import type { Fields } from './frame.ts';
import { type Frame, type GuardEvent, newGuard, nextGuard } from './guard-state.ts';

export type EventGuardHandlers = {
  /** An event whose lines the bridge knows. `fields` has what Asterisk wrote, and is valid only during the call. */
  onEvent(event: string, fields: Fields, at: number): void;
  /** Any other frame, valid only during the call. */
  onOther(frame: Frame): void;
  /** True for the answer to an action of ours, by its ActionID, which only we know. */
  isAnswer(bytes: Buffer): boolean;
  /** A value of this event had a line break. The event itself is handed on, without what the value added. */
  onLineBreak(event: string): void;
  /** The event is not as Asterisk writes it, or it is not certain which of its lines Asterisk wrote. */
  onRefused(event: string): void;
};

/** Tells the lines that Asterisk wrote from those in a value, as `nextGuard` decides. */
export function createEventGuard(handlers: EventGuardHandlers) {
  let state = newGuard;

  function apply(event: GuardEvent): void {
    const step = nextGuard(state, event, handlers.isAnswer);
    state = step.state;
    for (const effect of step.effects) {
      switch (effect.type) {
        case 'event':
          handlers.onEvent(effect.event, effect.fields, effect.at);
          break;
        case 'other':
          handlers.onOther(effect.frame);
          break;
        case 'line-break':
          handlers.onLineBreak(effect.event);
          break;
        case 'refused':
          handlers.onRefused(effect.event);
          break;
        default:
          effect satisfies never;
      }
    }
  }

  return {
    /** Takes the next frame, which is valid only during the call. */
    push: (frame: Frame): void => apply({ type: 'frame', frame }),
    /** Hands on the event in hand if it is whole, and what is behind it: Asterisk writes each event at once. */
    settle: (): void => apply({ type: 'settle' }),
    /** Ends the event in hand, whatever comes next. */
    end: (): void => apply({ type: 'end' }),
  };
}
