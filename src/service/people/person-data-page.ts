import { limits } from '../../shared/api/contract/decisions.ts';
import { spaced } from '../../shared/phone-number/normalise-number.ts';
import { sameLine } from '../../shared/phone-number/same-line.ts';
import { answererName } from '../accounts/extensions.ts';
import type { Pages, UserRequest } from '../accounts/user-request.ts';
import { endText, stateOf } from '../calls/call-cells.ts';
import { type CallRecord, FORGOTTEN, talkedFor } from '../calls/call-record.ts';
import type { Budgets } from '../kit/budget.ts';
import { displayText, lines } from '../kit/display-text.ts';
import { Refusal } from '../kit/refusal.ts';
import { duration } from '../rules/duration.ts';
import { plainText } from '../rules/plain-text.ts';
import { type Html, html, render } from '../words/html.ts';
import { extensionText, triedBy } from './call-back-texts.ts';
import type { StoredAction } from './caller-action-store.ts';
import { customerFields, fieldText, shownFields, shownText } from './customer-fields.ts';
import type { CustomerStore } from './customer-store.ts';
import {
  exportedPerson,
  inChunks,
  type PersonDataParts,
  personAsJson,
  personSections,
  type Whom,
} from './person-data.ts';

type Parts = Omit<PersonDataParts, 'store'> & {
  readonly store: PersonDataParts['store'] & {
    readonly customers: Pick<CustomerStore, 'get' | 'withNumber'>;
  };
  readonly budgets: Budgets;
};

/** Everything that the service has about a person, as a file: to read, or with `format=json` for programs. */
export function personDataPage(pages: Pages, parts: Parts): void {
  pages.get('/person/data', 'administrator', async (request) => {
    const { account, query, now, signal } = request;
    const whom = await readWhom(parts.store.customers, account, Object.fromEntries(query));
    if (whom === undefined) throw new Refusal(404, (errors) => errors.notThere);
    parts.budgets.readers.hold(account.id, signal);
    const exported = exportedPerson(whom);
    return query.get('format') === 'json'
      ? {
          download: 'person.json',
          type: 'application/json',
          content: personAsJson(parts, whom, now),
          exported,
        }
      : {
          download: 'person.html',
          type: 'text/html; charset=utf-8',
          content: personAsPage(parts, whom, request),
          exported,
        };
  });
}

/** Whom an address is about; undefined: nobody. A number that belongs to a customer is the customer's. */
export async function readWhom(
  customers: Pick<CustomerStore, 'get' | 'withNumber'>,
  account: Whom['account'],
  {
    customer: reference = '',
    number = '',
  }: { readonly customer?: string | undefined; readonly number?: string | undefined },
): Promise<Whom | undefined> {
  if (number.length > limits.referenceLength || number === FORGOTTEN) return undefined;
  const customer =
    number === ''
      ? await customers.get(account.id, reference)
      : await customers.withNumber(account.id, number);
  if (customer === undefined && number === '') return undefined;
  return { account, customer, numbers: customer?.numbers ?? sameLine(number) };
}

/** Nothing of it is loaded from elsewhere: it is read without the service. */
const style =
  'body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem}table{border-collapse:collapse;width:100%}td{border-top:1px solid #ccc;padding:.25rem .75rem .25rem 0;vertical-align:top}td:first-child{white-space:nowrap}';

/** Everything about a person in the user's language: a table for each kind. */
function personAsPage(parts: PersonDataParts, whom: Whom, request: UserRequest): AsyncGenerator<string> {
  const { words, formats, now } = request;
  const { settings, person, layout, webhooks, notifications } = words;
  const { customer, numbers, account } = whom;
  const sections = personSections(parts, whom);
  const name = customer?.name ?? spaced(numbers[0] ?? '');
  const about = html`<h1>${displayText(name, 80)}</h1>
    <p>${person.data} (${displayText(account.name, 80)}, ${formats.dateTime(now)})</p>
    <table>${
      customer
        ? shownFields
            .filter((field) => fieldText(customer, field) !== '')
            .map(
              (field) =>
                html`<tr><td>${customerFields[field].label(words)}</td><td>${displayText(shownText(customer, field, request))}</td></tr>`,
            )
        : html`<tr><td>${words.calls.number}</td><td>${displayText(spaced(numbers[0] ?? ''))}</td></tr>`
    }</table>`;
  const number = (text: string) => displayText(spaced(text));

  async function* pieces(): AsyncGenerator<string> {
    const { locale } = formats;
    yield `<!doctype html><html lang="${locale}"><meta charset="utf-8"><title>${render(plainText(name, 80))}</title><style>${style}</style>`;
    yield render(about);
    const table = <Row extends { readonly at: number }>(
      title: string,
      rows: AsyncIterable<Row>,
      cells: (row: Row) => readonly Html[],
    ) => section(title, rows, ({ at }) => formats.dateTime(at), cells);
    yield* section(
      layout.calls,
      sections.calls(),
      ({ startedAt }) => formats.dateTime(startedAt),
      (call) => [number(call.number), callText(call, request)],
    );
    yield* table(`${person.kinds.notes}, ${layout.callBack}`, sections.actions(), (action) => [
      number(action.number),
      actionText(action, request),
    ]);
    yield* table(settings.notifications, sections.notices(), ({ user, medium }) => [
      displayText(user, 80),
      medium === 'mail' ? notifications.mail : notifications.push,
    ]);
    yield* table(
      `${settings.webhooks}, ${webhooks.deliveries}`,
      sections.deliveries(),
      ({ event, to, state }) => [displayText(to), event, webhooks.states[state]],
    );
    yield* table(settings.apiLog, sections.requests(), ({ method, path, status, integration }) => [
      displayText(integration ?? '', 80),
      displayText(`${method} ${path}`),
      status,
    ]);
    yield* table(settings.audit, sections.audit(), ({ who, what, target }) => [
      displayText(who, 80),
      words.audit.kinds[what] ?? what,
      displayText(target),
    ]);
  }
  return inChunks(pieces());
}

/** A table with a heading; nothing if it has no rows. */
async function* section<Row>(
  title: string,
  rows: AsyncIterable<Row>,
  timeOf: (row: Row) => string,
  cells: (row: Row) => readonly Html[],
): AsyncGenerator<string> {
  let isEmpty = true;
  for await (const row of rows) {
    if (isEmpty) yield `${render(html`<h2>${title}</h2>`)}<table>`;
    isEmpty = false;
    yield render(html`<tr><td>${timeOf(row)}</td>${cells(row).map((cell) => html`<td>${cell}</td>`)}</tr>`);
  }
  if (!isEmpty) yield '</table>';
}

/** What became of a call: who answered, and how long they talked. */
function callText(call: CallRecord, request: UserRequest): Html {
  const { words, extensions } = request;
  const talked = talkedFor(call);
  const by =
    call.callerId && !call.missed
      ? words.calls.isAnsweredBy(displayText(answererName(extensions, call.callerId), 60))
      : stateOf(call, request).word;
  const end = endText(call, words);
  return html`${by}${end && `, ${end}`}${talked !== null && `, ${duration(talked)}`}`;
}

/** What somebody did about the person, or noted. */
function actionText(action: StoredAction, request: UserRequest): Html {
  const { callBack: text } = request.words;
  const { kind, user, due } = action;
  const by = displayText(user, 40);
  const next = due !== undefined && html`, ${text.nextTry(request.formats.dateTime(due))}`;
  switch (kind) {
    case 'note':
      return html`${lines(action.text ?? '')}<br />${by}`;
    case 'taken':
      return text.takenBy(by);
    case 'done':
      return text.calledBack(by);
    case 'talked':
      return text.talked(user && extensionText(user, request), duration((action.seconds ?? 0) * 1_000));
    case 'tried':
      return html`${text.tried(user && triedBy(user, due !== undefined, request), 1)}${next}`;
    case 'remind':
      return html`${text.takenBy(by)}${next}`;
    case 'released':
      return html`${text.release}: ${by}`;
    case 'reopened':
      return html`${text.undo}: ${by}`;
    default:
      return kind satisfies never;
  }
}
