import type { CallRecord } from '../calls/call-record.ts';
import { type Html, html } from './kit/html.ts';
import { shown } from './kit/shown.ts';

/** A call that is open for so long has ended, and nobody told. */
const LONGEST_MS = 24 * 3_600_000;

/** How a call is, or how it ended, in a word. */
export function stateOf({ status, missed, startedAt }: CallRecord, now: number): Html {
  const [kind, word] = missed
    ? ['missed', 'missed']
    : status === 'completed'
      ? ['answered', 'answered']
      : now - startedAt > LONGEST_MS
        ? ['', 'end not told']
        : status === 'answered'
          ? ['answered', 'talking']
          : ['ringing', 'ringing'];
  return html`<span class=${`state ${kind}`}>${word}</span>`;
}

export const callAddress = (id: string) => `/activity/call?${new URLSearchParams({ id })}`;

/** A customer's name, with the way to its page. */
export function customerLink({ reference, name }: NonNullable<CallRecord['customer']>): Html {
  return html`<a href=${`/customers/edit?${new URLSearchParams({ reference })}`}>${shown(name, 80)}</a>`;
}

export const segmentChip = (segment: string | null): Html =>
  segment !== null && html`<span class="chip">${shown(segment, 40)}</span>`;
