import type { CallExtras, Missed } from '../../shared/api/contract/call-extras.ts';
import type { CallStatus } from '../../shared/api/contract/call-status.ts';
import { numberIn } from '../../shared/phone-number/number-text.ts';
import type { OpenCall } from './open-call.ts';
import { missedText } from './place.ts';

/**
 * The `extras` of a call event, for an API that takes them. `at` is Unix ms; undefined if the time of the event is
 * unknown.
 */
export function extrasOf(
  { did = '', line, began }: Pick<OpenCall, 'did' | 'line' | 'began'>,
  status: CallStatus,
  { at, missed }: { at?: number | undefined; missed?: Missed | undefined },
): CallExtras {
  const number = clean(did, 64);
  const happened = status === 'ringing' ? began : at;
  return {
    ...(numberIn(number) !== '' && { number_called: number }),
    ...(line !== undefined && line !== '' && { line: clean(line, 100) }),
    ...(happened !== undefined && { at: new Date(happened).toISOString() }),
    ...(missed !== undefined && { missed }),
  };
}

/** How a call went, for people. */
export function outcomeOf({ answer }: OpenCall, missed: Missed | undefined): string {
  if (answer !== undefined) return `was answered by ${answer.callerId || '?'}`;
  return missed === undefined ? 'no answer was observed' : missedText(missed);
}

function clean(text: string, max: number): string {
  return text.replace(/\p{Cc}/gu, '').slice(0, max);
}
