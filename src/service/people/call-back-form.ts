import { z } from 'zod';
import { limits } from '../../shared/api/contract/decisions.ts';
import { spaced } from '../../shared/phone-number/normalise-number.ts';
import type { UserRequest } from '../accounts/user-request.ts';
import { isDialable } from '../calls/call-cells.ts';
import { changeForm, hiddenFields } from '../kit/form.ts';
import { personAddress } from '../rules/person-address.ts';
import { plainText } from '../rules/plain-text.ts';
import { type Html, html } from '../words/html.ts';
import { filterFields, filterIn } from './call-back-filter.ts';
import type { CallBack } from './call-backs.ts';
import type { CallerAction } from './caller-action-store.ts';

/** Which person a form is about, and the page that it is on. */
export const subject = z.object({
  number: z.string().max(limits.referenceLength).refine(isDialable),
  from: z.enum(['now', 'person', 'list']).default('list'),
  /** On the list: the row. */
  person: z.string().default(''),
  /** On the page of a customer: the reference. */
  customer: z.string().default(''),
  /** Who calls the person back, as shown on the page; '' for no one. */
  taker: z.string().default(''),
  /** On the list: its query string. On a person's page: the address that the page leads back to. */
  back: z.string().default(''),
});
export type Subject = z.infer<typeof subject>;

/** The fields of `subject` for a form or a link on the page of `request`. */
export function subjectFields(
  { numbers: [number = ''], person, call, taken }: CallBack,
  { path, query }: UserRequest,
): Record<string, string> {
  const about = { number, taker: taken?.user ?? '' };
  if (path === '/call-back') return { ...about, person, back: `${query}` };
  return {
    ...about,
    from: 'person',
    customer: call.customer?.reference ?? '',
    back: query.get('back') ?? '',
  };
}

/** The page that a form was on, with the focus on what comes next after `kind`. */
export function pageAfter(
  { number, from, person, customer, back }: Subject,
  kind: CallerAction['kind'],
): string {
  if (from === 'person') {
    const known = customer === '' ? null : { reference: customer, name: '' };
    return `${personAddress({ customer: known, number }, back)}&at=${kind}`;
  }
  const query = new URLSearchParams(back);
  const position = positionIn(query);
  const shown = { ...filterFields(filterIn(query)), ...(position && { after: position.text }) };
  return `/call-back?${new URLSearchParams({ ...shown, at: person })}`;
}

/** A position in the list, `PRIORITY.SINCE`, or `due.SINCE` of the user's reminders that are due: rows that are closed above it do not move anybody to another page. */
export function positionIn(query: URLSearchParams) {
  const [, priority = '', since = ''] = /^(due|-?\d*)\.(\d+)$/.exec(query.get('after') ?? '') ?? [];
  if (since === '') return null;
  return {
    text: `${priority}.${since}`,
    priority: rankIn(priority),
    since: Number(since),
  };
}

export const positionText = (rank: number, since: number): string =>
  `${rank === Number.POSITIVE_INFINITY ? 'due' : Number.isFinite(rank) ? rank : ''}.${since}`;

function rankIn(text: string): number {
  if (text === 'due') return Number.POSITIVE_INFINITY;
  return text === '' ? Number.NEGATIVE_INFINITY : Number(text);
}

/** How a button looks. */
export type Look = {
  readonly is?: string;
  readonly focus?: boolean;
  readonly label?: string;
  /** Calls the person, once the service has stored it. */
  readonly dials?: boolean;
};

/** One button for a missed person, sent in place. */
export function actForm(
  one: CallBack,
  request: UserRequest,
  content: Html,
  kind: CallerAction['kind'],
  { is, focus, label, dials }: Look = {},
): Html {
  return changeForm(
    { action: '/call-back', token: request.token, refused: request.words.bar.refused },
    html`${hiddenFields(subjectFields(one, request))}
      <button type="submit" name="kind" value=${kind} class=${is} autofocus=${focus} data-dials=${dials && one.numbers[0]} title=${label} aria-label=${label && `${label}: ${nameOf(one)}`}>${content}</button>`,
  );
}

/** The name of a missed person, or the number of a stranger. */
export const nameOf = ({ call }: Pick<CallBack, 'call'>): string =>
  plainText(call.customer?.name ?? spaced(call.number), 60);
