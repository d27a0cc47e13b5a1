import { limits } from '../../shared/api/contract/decisions.ts';
import { exportedNumber, spaced } from '../../shared/phone-number/normalise-number.ts';
import { crmLink } from '../accounts/crm-link.ts';
import { answererName } from '../accounts/extensions.ts';
import { type Pages, type SegmentRequest, type UserRequest, withSegments } from '../accounts/user-request.ts';
import { backLink, dialLink, segmentChip } from '../calls/call-cells.ts';
import type { CallRecord } from '../calls/call-record.ts';
import { type CallStore, newestCalls } from '../calls/call-store.ts';
import { displayText } from '../kit/display-text.ts';
import { face } from '../kit/face.ts';
import { icon } from '../kit/icon.ts';
import type { Page } from '../kit/page-request.ts';
import { Refusal } from '../kit/refusal.ts';
import { searchWords } from '../kit/search-text.ts';
import { plainText } from '../rules/plain-text.ts';
import { type Html, html } from '../words/html.ts';
import { buttons } from './call-back-buttons.ts';
import type { CallBackList } from './call-back-list.ts';
import { CLOSED_MS } from './call-back-pages.ts';
import { closedText, dueText, triedText } from './call-back-texts.ts';
import type { CallBack } from './call-backs.ts';
import type { CallerStore } from './caller-store.ts';
import {
  type Customer,
  customerFields,
  fieldText,
  listedNumbers,
  shownFields,
  shownText,
} from './customer-fields.ts';
import type { CustomerStore } from './customer-store.ts';
import { type ColleagueStore, colleaguesOf } from './give-page.ts';
import { type Person, personPath, SHOWN_NUMBERS } from './person.ts';
import { type Draft, draftOf, editForm, type Namesakes, nameForm, strangerDraft } from './person-form.ts';
import { readStory, readWeeks, storyChoice } from './person-story.ts';
import { storyPart, weekBars } from './story-part.ts';

export type PersonParts = {
  readonly store: ColleagueStore & {
    readonly calls: CallStore;
    readonly callers: CallerStore;
    readonly customers: CustomerStore;
  };
  readonly callBackList: CallBackList;
};

/** Customers who are offered while a name is typed; with more of them, none are. */
const OFFERED = 200;
/** Customers who are offered as the same person. */
const FOUND = 8;

/** A person is one page: who it is, whether to call back, and all that happened, whichever number was used. */
export function personPage(pages: Pages, parts: PersonParts): void {
  pages.get('/person', 'agent', (request) => showPerson(request, parts));
}

/** `draft`: what somebody has typed into the form, `named`: into that of a stranger. */
export async function showPerson(
  asked: UserRequest,
  parts: PersonParts,
  { draft, named }: { readonly draft?: Draft; readonly named?: Namesakes } = {},
): Promise<Page> {
  const request = await withSegments(asked);
  const { account, query, words } = request;
  const { store } = parts;
  const person = await readPerson(request, parts);
  const { customer, number } = person;
  const choice = storyChoice(request);
  const who = customer ? { customer: { is: customer.reference } } : { number: { is: number } };
  const edits = customer !== undefined && (query.has('edit') || draft !== undefined);
  const same = edits ? (query.get('same') ?? '') : '';
  const [[story, answered], weeks, known, alike, canGive] = await Promise.all([
    Promise.all([
      readStory(store, account.id, person, choice),
      newestCalls(store.calls, account.id, { ...who, outcome: 'answered' }, 2),
    ]),
    readWeeks(store, account.id, person, { timeZone: request.formats.timeZone, now: request.now }),
    customer
      ? null
      : store.customers.page({ account: account.id, words: [], segment: null, after: null, limit: OFFERED }),
    same === '' ? [] : findCustomers(searchWords(same, account.country), FOUND, request, parts),
    person.callBack?.taken?.user === request.user.name &&
      colleaguesOf(store, request).then(({ length }) => length > 0),
  ]);
  const name = customer?.name ?? spaced(number);
  const weekFacts = weeks.length > 0 && weekBars(person, weeks, choice, request);
  return {
    title: plainText(name, 40),
    ...(draft?.errors && { status: draft.isConflict ? 409 : 422 }),
    ...(named?.errors && { status: 422 }),
    scripts: ['live'],
    body: html`<article class="person">
      ${backLink(request)}
      <header id="person" data-live>${face(customer?.name ?? '', 'l')}<h1>${displayText(name, 80)}</h1>${
        customer
          ? html`${segmentChip(customer.segment, request)}<span class="quiet">${inLine(customer, request)}</span>`
          : html`${dialLink(number, words.person.call)}<span class="quiet">${words.person.unknown}</span>`
      }</header>
      ${
        customer === undefined &&
        html`<div class="whole" data-place="name">${nameForm(named ?? strangerDraft(number), known?.next ? [] : (known?.customers ?? []), request)}</div>`
      }
      <div id="to-call" class="whole" data-live>${callBackNotice(person.callBack, request, canGive)}</div>
      ${
        edits
          ? editForm(person, draft ?? draftOf(customer), same, alike, request)
          : factsPart(person, answered.find(isOver), weekFacts, request)
      }
      ${storyPart(person, story, choice, request)}
      ${request.administrates && dataLinks(person, request)}
    </article>`,
  };
}

/** Everything that is stored about the person, to download. */
function dataLinks({ customer, number }: Person, { words: { person: text } }: UserRequest): Html {
  const at = (also: Record<string, string>) =>
    `/person/data?${new URLSearchParams({ ...(customer ? { customer: customer.reference } : { number }), ...also })}`;
  return html`<div class="together whole">
    <a class="button" href=${at({})} download>${icon('download')}${text.data}</a>
    <a class="button" href=${at({ format: 'json' })} download>${icon('download')}${text.dataJson}</a>
  </div>`;
}

/** The first customers whose texts have all of these words: a search, which waits for its turn. */
export async function findCustomers(
  words: readonly string[],
  limit: number,
  request: UserRequest,
  parts: PersonParts,
): Promise<Customer[]> {
  const query = { account: request.account.id, words, segment: null, after: null, limit };
  return (await parts.store.customers.page(query)).customers;
}

/** A call in progress does not count as the last one: its user wants to know who spoke with the caller before. */
const isOver = ({ status }: CallRecord) => status === 'completed';

/** Who the address of a page is about. A number that belongs to a customer is the customer's. */
async function readPerson(request: UserRequest, { store, callBackList }: PersonParts): Promise<Person> {
  const { account, query, form } = request;
  const reference = query.get('customer') ?? form.get('customer') ?? '';
  const number = query.get('number') ?? (reference === '' ? (form.get('number') ?? '') : '');
  if (number.length > limits.referenceLength) throw noCaller();
  const customer =
    number === ''
      ? await store.customers.get(account.id, reference)
      : await store.customers.withNumber(account.id, number);
  if (customer === undefined && number === '') throw noCaller();
  const all = customer?.numbers ?? [number];
  const first = all.slice(0, SHOWN_NUMBERS);
  const numbers = all.includes(number) ? [...new Set([...first, number])] : first;
  const [
    lastCalls,
    {
      people: [callBack],
    },
  ] = await Promise.all([
    store.callers.lastCalls(account.id, numbers),
    callBackList.read(account.id, numbers),
  ]);
  const byLast = numbers.toSorted((a, b) => (lastCalls.get(b) ?? 0) - (lastCalls.get(a) ?? 0));
  return {
    customer,
    numbers,
    number: numbers.includes(number) ? number : (byLast[0] ?? ''),
    lastCalls,
    callBack,
  };
}

const noCaller = () => new Refusal(404, (errors) => errors.notThere);

/** Segments that are named as those before. */
const NAMED = 3;

/** What the segment's priority means: `third in line, after Emergency and Owners`. */
function inLine({ segment }: Customer, { segments, words, formats }: SegmentRequest): string {
  const own = segments.find(({ name }) => name === segment);
  if (own === undefined || segments.length < 2) return '';
  const before = segments.filter(({ priority }) => priority > own.priority);
  const names = before.slice(0, NAMED).map(({ name }) => plainText(name, 30));
  const list = new Intl.ListFormat(formats.locale).format(names);
  return words.person.inLine(before.length + 1, before.length > NAMED ? '' : list);
}

function callBackNotice(callBack: CallBack | undefined, request: UserRequest, canGive: boolean): Html {
  if (callBack === undefined) return null;
  const { formats, now, words, user } = request;
  const { person: text, callBack: said } = words;
  const { closed, taken, due, times, since, tried } = callBack;
  const place = (picture: Html, content: Html) =>
    html`<div class="notice" data-place="call-back">${picture}<p>${content}</p><div class="together">${buttons(callBack, request, canGive, 'notice')}</div></div>`;
  if (closed !== null && closed.how !== 'reached' && closed.at > now - CLOSED_MS)
    return place(
      icon('check', 'is-talking'),
      html`${closedText(callBack, request)} <span class="quiet">${formats.moment(closed.at, now)}</span>`,
    );
  if (closed !== null) return null;
  const by =
    taken === null
      ? text.notYet
      : taken.user === user.name
        ? words.bar.takenByYou
        : said.takenBy(displayText(taken.user, 40));
  return place(
    icon('phone-missed', 'is-missed'),
    html`${text.missed(times, formats.moment(since, now))}, ${by}${due !== null && html`, ${dueText(callBack, request)}`}.${tried && html` ${triedText(callBack, request)}.`}`,
  );
}

/** Besides name and segment: numbers, the colleague who spoke last, what else is known. */
function factsPart(
  person: Person,
  answered: CallRecord | undefined,
  weeks: Html,
  request: UserRequest,
): Html {
  const { customer, number, numbers, lastCalls } = person;
  const { words, formats, now, account, extensions, query } = request;
  const text = words.person;
  const crm =
    account.crmUrl &&
    crmLink(account.crmUrl, {
      number: exportedNumber(number, account.country),
      reference: customer?.reference ?? '',
    });
  const fact = (label: string, content: Html) => html`<div><dt>${label}</dt><dd>${content}</dd></div>`;
  const day = (at: number | undefined) =>
    at !== undefined && html`<span class="small quiet">${formats.dayBeside(at, now)}</span>`;
  const listed = listedNumbers(numbers);
  const rest = listedNumbers(customer?.numbers.slice(SHOWN_NUMBERS) ?? []).filter(
    (one) => !numbers.includes(one),
  ).length;
  const further = shownFields.filter((name) => !['name', 'segment', 'numbers'].includes(name));
  const facts = [
    customer &&
      numbers.length > 0 &&
      fact(
        words.customers.numbers,
        html`<ul>${numbers.filter((one) => listed.includes(one) || lastCalls.has(one)).map((one) => html`<li>${dialLink(one)}${day(lastCalls.get(one))}</li>`)}${rest > 0 && html`<li class="quiet">…${words.customers.andMore(rest)}</li>`}</ul>`,
      ),
    answered?.callerId &&
      fact(
        text.lastWith,
        html`${displayText(answererName(extensions, answered.callerId), 60)} ${day(answered.startedAt)}`,
      ),
    customer &&
      further.map(
        (name) =>
          fieldText(customer, name) !== '' &&
          fact(customerFields[name].label(words), displayText(shownText(customer, name, request), 120)),
      ),
    crm &&
      fact(
        text.crm,
        html`<a href=${crm} target="_blank" rel="noreferrer">${displayText(new URL(crm).host, 60)}</a>`,
      ),
    weeks && fact(text.weeks, weeks),
  ].filter(Boolean);
  return (
    facts.length > 0 &&
    html`<aside id="facts" class="facts card" data-live>
      <dl>${facts}</dl>
      ${customer && html`<div class="together"><a class="button" href=${personPath(person, request, { edit: '' })} autofocus=${query.get('at') === 'edit'}>${icon('pencil')}${text.edit}</a></div>`}
    </aside>`
  );
}
