import type { Log } from '../../shared/log/log.ts';
import { accountLimits } from '../accounts/limits.ts';
import type { Pages, UserRequest } from '../accounts/user-request.ts';
import type { Budgets } from '../kit/budget.ts';
import { BYTE_ORDER_MARK, type Cell, csvLines, csvNumbers, forSpreadsheets } from '../kit/csv.ts';
import { displayText } from '../kit/display-text.ts';
import { createPause } from '../kit/event-loop-pauses.ts';
import { changeForm, choice, notice } from '../kit/form.ts';
import { icon } from '../kit/icon.ts';
import type { Answer, Page } from '../kit/page-request.ts';
import { PartlyDone } from '../kit/refusal.ts';
import { type Column, table } from '../kit/table.ts';
import { plainText } from '../rules/plain-text.ts';
import { type Html, html } from '../words/html.ts';
import { auditBrokenImport } from './broken-import.ts';
import {
  type Customer,
  type CustomerField,
  columns,
  customerFields,
  shownFields,
  shownText,
} from './customer-fields.ts';
import type { CustomerStore } from './customer-store.ts';
import { importPlan, importSummary, NEW_PRIORITY, namesCustomers } from './customers-csv.ts';
import { exportCustomers } from './customers-export.ts';
import { type ImportPreview, previewImport } from './customers-preview.ts';
import { areaCodeColumns } from './import/area-codes.ts';
import { chooseColumns, chosenUses, examplesOf, type Mapping } from './import/choose-columns.ts';
import { packTable, tableTooLarge, unpackTable } from './import/packed-table.ts';
import { MAX_TABLE_LINES, readTable, type Table } from './import/table.ts';
import type { LeftOut, Refused } from './import-refusals.ts';

/** Enough for 100,000 customers with names in any alphabet. */
const TABLE_BYTES = 16 * 1024 * 1024;
/** As a form without files, in which each byte of most alphabets takes three. */
const FORM_BYTES = 3 * TABLE_BYTES + 64 * 1024;
/** Columns that can be chosen from, besides those that are chosen. */
const MAX_COLUMNS = 150;

/** A table with an example, for the spreadsheets of a language. */
function template(locale: string): string {
  const example: Partial<Record<CustomerField, Cell>> = {
    reference: '1001',
    name: 'Example Ltd',
    numbers: csvNumbers(['+493023125000', '+491713920000']),
  };
  const rows = [columns, columns.map((name) => example[name] ?? null)];
  return `${BYTE_ORDER_MARK}${csvLines(rows, forSpreadsheets(locale))}`;
}

type Parts = {
  readonly store: { readonly customers: CustomerStore };
  readonly budgets: Budgets;
  readonly log: Log;
};

/** How far each account's import is, for the page that waits for its answer (client/show-import-progress.ts); another process knows none. */
type Progress = Map<number, string>;

/** Customers as CSV: import with a choice of columns and a preview, and export. */
export function importPages(pages: Pages, parts: Parts): void {
  const running: Progress = new Map();
  pages.get('/customers/export', 'administrator', (request) => exported(request, parts));
  pages.get('/customers/import/template', 'administrator', ({ words }) => ({
    download: 'customers-template.csv',
    type: 'text/csv; charset=utf-8',
    content: template(words.locale),
  }));
  pages.get('/customers/import', 'administrator', (request) => importPage(request));
  pages.get('/customers/import/progress', 'administrator', ({ account }) => ({
    type: 'text/plain; charset=utf-8',
    content: running.get(account.id) ?? '',
    download: 'progress.txt',
  }));
  pages.post('/customers/import', 'administrator', (request) => importTable(request, parts, running), {
    bytes: FORM_BYTES,
    turn: 'long',
  });
}

function exported({ account, words, signal }: UserRequest, { store, budgets }: Parts): Answer {
  budgets.readers.hold(account.id, signal);
  return {
    download: 'customers.csv',
    type: 'text/csv; charset=utf-8',
    content: exportCustomers(store.customers, account, forSpreadsheets(words.locale)),
    exported: 'customers',
  };
}

/** Shows a table, or imports what has been shown. */
async function importTable(request: UserRequest, parts: Parts, running: Progress): Promise<Page> {
  const { account, form, words } = request;
  const { customers } = parts.store;
  const csv = await tableOf(form);
  const { read, mapping } = await readWith(csv, request);
  const into = { customers, account: account.id, country: account.country, mapping, words };
  const look = async () => (namesCustomers(mapping) ? await previewImport(read, into) : undefined);
  let preview = await look();
  // What is imported has been seen, even if a choice was changed and not looked at, or customers were meanwhile.
  const isSeen = !form.has('seen') || form.get('seen') === seenOf(mapping, preview);
  if (form.has('confirmed') && isSeen && preview !== undefined)
    return importPage(request, reportPart(request, await importSeen(request, preview, into, parts, running)));
  if (form.has('create') && preview?.canCreate) {
    const added = await customers.addSegments(account.id, preview.missingSegments, NEW_PRIORITY);
    for (const name of added) await request.audit('settings', `segment ${name}: priority ${NEW_PRIORITY}`);
    preview = await look();
  }
  const shown = { request, packed: await packTable(csv), table: read, mapping };
  return previewPage(shown, preview, form.has('confirmed') && !isSeen);
}

/** A table, and what each of its columns is: as chosen, else as guessed. */
async function readWith(
  csv: string,
  { account, form }: UserRequest,
): Promise<{ readonly read: Table; readonly mapping: Mapping }> {
  const pause = createPause();
  const read = readTable(csv, MAX_TABLE_LINES);
  const { header, sample } = read;
  await pause();
  const guessed = chooseColumns(header, sample, account.country);
  await pause();
  return { read, mapping: header.map((_, index) => chosen(form, index) ?? guessed[index] ?? '') };
}

/** Imports a table that has been seen, and says how far it is. @throws PartlyDone if it ends in the middle */
async function importSeen(
  { account, audit, checkAdmitted, formats: { number }, words }: UserRequest,
  { plan }: ImportPreview,
  into: Omit<Parameters<typeof importPlan>[1], 'progress' | 'goOn' | 'isSeen'>,
  { log }: Parts,
  running: Progress,
) {
  let stored = 0;
  const progress = (done: number, all: number) => {
    stored = done;
    running.set(account.id, words.importing.soFar(number(done), number(all)));
  };
  const report = await importPlan(plan, { ...into, progress, goOn: checkAdmitted, isSeen: true })
    .catch(async (error: Error) => {
      if (stored === 0) throw error;
      await auditBrokenImport({ stored, why: error, account: account.name, log }, audit);
      throw new PartlyDone(error, ({ importing }) => importing.brokeOff(stored));
    })
    .finally(() => running.delete(account.id));
  await audit('import', importSummary(report));
  return report;
}

function reportPart(request: UserRequest, report: Awaited<ReturnType<typeof importPlan>>): Html {
  const { importing: text } = request.words;
  return html`${notice(text.imported(report.imported))}
          ${report.leftOut.map(({ message }) => notice(displayText(message), 'bad'))}
          ${report.refused > 0 && notice(text.skipped(report.refused), 'bad')}
          ${errorList(request, report.errors)}
          ${report.left > 0 && notice(text.left(report.left), 'bad')}
          ${report.unsure > 0 && notice(text.unsure(report.unsure), 'bad')}
          ${errorList(request, report.warnings)}`;
}

/** The table that is sent for the first time, or that a preview has sent back. */
async function tableOf(form: URLSearchParams): Promise<string> {
  const packed = form.get('packed');
  if (packed) return unpackTable(packed, TABLE_BYTES);
  // Browsers send each line break of a text field as two characters.
  const csv = (form.get('file') || form.get('table') || '').replaceAll('\r\n', '\n');
  if (Buffer.byteLength(csv) > TABLE_BYTES) throw tableTooLarge();
  return csv;
}

/** What a preview shows: the columns and the changes. */
const seenOf = (mapping: Mapping, preview: ImportPreview | undefined) =>
  `${mapping.join()} ${preview?.version}`;

/** What somebody chose for a column of the table. */
function chosen(form: URLSearchParams, index: number): Mapping[number] | undefined {
  const value = form.get(`column-${index}`);
  return value === '' ? '' : chosenUses.find((use) => use === value);
}

function importPage(request: UserRequest, above: Html = null): Page {
  const { layout, importing: text } = request.words;
  return {
    title: text.title,
    body: html`
      <a class="back" href="/customers">${icon('chevron-left')}${layout.customers}</a>
      <h1>${text.title}</h1>
      ${above}
      <section class="card">
        ${changeForm(
          { action: '/customers/import', token: request.token, label: text.title, files: true },
          html`
            <div class="field">
              <label for="f-file">${text.file}</label>
              <input id="f-file" name="file" type="file" accept=".csv,.txt,.tsv,text/csv" />
            </div>
            <div class="field broad">
              <label for="f-table">${text.table}</label>
              <textarea id="f-table" name="table" rows="10" spellcheck="false" aria-describedby="h-table"></textarea>
              <p class="hint" id="h-table">${text.tableHint} <a href="/customers/import/template">${text.template}</a></p>
            </div>
            <button type="submit" class="primary">${text.preview}</button>
          `,
        )}
      </section>
    `,
  };
}

/** A table, and how its columns are read. */
type Shown = {
  readonly request: UserRequest;
  /** See packTable. */
  readonly packed: string;
  readonly table: Table;
  readonly mapping: Mapping;
};

function previewPage(shown: Shown, preview: ImportPreview | undefined, isOther: boolean): Page {
  const { request, mapping } = shown;
  const { importing: text } = request.words;
  const valid = preview ? preview.added + preview.changed + preview.same : 0;
  const leftOut = preview?.leftOut ?? [];
  return {
    title: text.title,
    scripts: ['import'],
    body: html`
      <a class="back" href="/customers/import">${icon('chevron-left')}${text.title}</a>
      <h1>${text.preview}</h1>
      ${isOther && notice(text.lookAgain, 'bad')}
      ${
        preview
          ? html`<p class="above"><strong>${text.counts(preview.added, preview.changed, preview.same)}</strong></p>`
          : notice(text.chooseColumn, 'bad')
      }
      ${
        leftOut.length > 0 &&
        html`<section class="card" aria-labelledby="telephones">
          <h2 id="telephones">${text.chooseTelephones}</h2>
          <div class="form">
            ${leftOut.map(({ column, examples }) => columnChoice(shown, column, examples, FORM))}
            <button type="submit" form=${FORM}>${text.preview}</button>
          </div>
        </section>`
      }
      ${notices(shown, preview)}
      ${columnForm(shown, leftOut)}
      ${
        preview &&
        preview.missingSegments.length > 0 &&
        (preview.canCreate
          ? html`<p class="above"><button type="submit" form=${FORM} name="create" value="yes">${text.createSegments(preview.missingSegments.length)}</button></p>`
          : notice(text.tooManySegments(preview.missingSegments.length, accountLimits.segments), 'bad'))
      }
      ${preview && changeTable(request, preview)}
      ${preview && preview.lines.length > 0 && html`<h2>${text.firstLines}</h2>${lineTable(request, preview)}`}
      ${
        valid > 0 &&
        html`<p>
          <input type="hidden" form=${FORM} name="seen" value=${seenOf(mapping, preview)} />
          <button type="submit" class="primary" form=${FORM} name="confirmed" value="yes">${text.importThem(valid)}</button>
        </p>
        <p class="quiet" id="progress" role="status" data-form=${FORM}></p>`
      }
    `,
  };
}

/** The form that has the table, once: all buttons of the page send it. */
const FORM = 'import';

/** What a column is imported as. */
function columnChoice(
  { request: { words }, table: { header }, mapping }: Shown,
  column: number,
  examples: ReadonlySet<string>,
  form?: string,
): Html {
  const { importing: text } = words;
  const name = header[column];
  return choice({
    label: name ? plainText(name, 60) : text.column(column + 1),
    name: `column-${column}`,
    value: mapping[column],
    options: [
      ['', text.leaveOut] as const,
      ...columns.map((field) => [field, customerFields[field].label(words)] as const),
      ['spare-name', text.spareName] as const,
      ['country', text.country] as const,
    ],
    hint: examples.size > 0 && displayText([...examples].join(', ')),
    ...(form !== undefined && { form }),
  });
}

/** The columns, without those that are shown above. */
function columnForm(shown: Shown, leftOut: readonly LeftOut[]): Html {
  const { request, packed, table, mapping } = shown;
  const { words, token } = request;
  const { importing: text } = words;
  return html`<section class="card" aria-labelledby="columns">
    <h2 id="columns">${text.columns}</h2>
    ${changeForm(
      { action: '/customers/import', token, label: text.columns, files: true, id: FORM },
      html`<input type="hidden" name="packed" value=${packed} />
        ${table.header.map((_, index) => {
          if (index >= MAX_COLUMNS && !mapping[index]) return null;
          if (leftOut.some(({ column }) => column === index)) return null;
          return columnChoice(shown, index, examplesOf(table.sample, index));
        })}
        <button type="submit">${text.preview}</button>`,
    )}
  </section>`;
}

/** What somebody should know before they import. */
function notices({ request, table, mapping }: Shown, preview: ImportPreview | undefined): Html {
  const { account, words } = request;
  const { importing: text } = words;
  if (preview === undefined) return null;
  const countries = table.header.flatMap((name, index) =>
    mapping[index] === 'country' ? [plainText(name, 60) || text.column(index + 1)] : [],
  );
  const { refused, errors, left, unsure, warnings, undialable } = preview;
  return html`${!table.header.some(Boolean) && notice(text.noHeader, 'bad')}
    ${preview.added > 0 && !mapping.includes('name') && notice(text.noName, 'bad')}
    ${areaCodeColumns(table, mapping, account.country).map((column) =>
      notice(text.areaCode(plainText(table.header[column] ?? '', 60)), 'bad'),
    )}
    ${
      table.isHeaderUnknown &&
      html`<p class="above">${text.unknownHeader(plainText(table.header.filter(Boolean).join(', '), 120))}</p>`
    }
    ${countries.length > 0 && html`<p class="above">${text.countryColumn(countries)}</p>`}
    ${table.above > 0 && html`<p class="above">${text.above(table.above)}</p>`}
    ${refused > 0 && notice(text.willBeSkipped(refused), 'bad')}
    ${errorList(request, errors)}
    ${left > 0 && notice(text.willBeLeft(left), 'bad')}
    ${unsure > 0 && notice(text.unsure(unsure), 'bad')}
    ${errorList(request, warnings)}
    ${
      undialable.first !== undefined &&
      notice(
        html`${text.undialable(undialable.count, undialable.first)} ${
          account.country === null
            ? html`${text.noCountry} <a href="/account">${words.settings.account}</a>`
            : text.otherCountry
        }`,
        'bad',
      )
    }`;
}

function lineTable(request: UserRequest, { lines }: ImportPreview): Html {
  const { words } = request;
  return table({
    caption: words.importing.firstLines,
    rows: lines,
    columns: [
      { head: words.importing.line, end: true, cell: ({ line }) => line },
      ...shownFields.map(
        (name): Column<ImportPreview['lines'][number]> => ({
          head: customerFields[name].label(words),
          cell({ customer }) {
            const shown = shownText(customer, name, request);
            return shown && displayText(shown);
          },
        }),
      ),
    ],
    empty: null,
  });
}

/** What the lines would change of known customers, field by field. */
function changeTable(request: UserRequest, { changes, changed }: ImportPreview): Html {
  const { apiLog, importing: text, common } = request.words;
  const written = (customer: Customer, name: CustomerField) =>
    shownText({ ...customer, numbers: customer.numbers.toSorted() }, name, request) || apiLog.empty;
  return (
    changed > 0 &&
    html`<h2>${text.changes}</h2>
    ${table({
      caption: text.changes,
      rows: changes,
      columns: [
        { head: text.line, end: true, cell: ({ line }) => line },
        { head: common.name, cell: ({ before }) => displayText(before.name) },
        {
          head: text.change,
          cell: ({ before, after }) =>
            columns
              .map((name) => [name, written(before, name), written(after, name)] as const)
              .filter(([, old, now]) => old !== now)
              .map(
                ([name, old, now]) =>
                  html`<div>${customerFields[name].label(request.words)}: ${displayText(old)} → ${displayText(now)}</div>`,
              ),
        },
      ],
      empty: null,
    })}`
  );
}

/** One line a reason: `Segment "Gold" does not exist. Line 2, 3, 4, … (667)`. */
function errorList({ words }: UserRequest, errors: readonly Refused[]): Html {
  return (
    errors.length > 0 &&
    html`<ul class="errors">${errors.map(
      ({ message, count, lines }) =>
        html`<li>${displayText(message)} ${words.importing.line} ${lines.join(', ')}${count > lines.length && `, … (${count})`}</li>`,
    )}</ul>`
  );
}
