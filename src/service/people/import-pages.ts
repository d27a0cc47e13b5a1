import { Readable } from 'node:stream';
import { accountLimits } from '../accounts/limits.ts';
import { displayText, plainText } from '../kit/display-text.ts';
import { changeForm, choice, hiddenFields, notice } from '../kit/form.ts';
import { icon } from '../kit/icon.ts';
import type { Page, PageRequest, Pages } from '../kit/page-request.ts';
import { type Column, table } from '../kit/table.ts';
import { type Html, html } from '../words/html.ts';
import {
  type Customer,
  type CustomerField,
  columns,
  customerFields,
  fieldText,
  shownFields,
} from './customer-fields.ts';
import type { CustomerStore } from './customer-store.ts';
import {
  BadTable,
  exportCustomers,
  firstLines,
  guessMapping,
  importCustomers,
  importSummary,
  type Mapping,
  NEW_PRIORITY,
  namesCustomers,
} from './customers-csv.ts';
import { type ImportPreview, previewImport } from './customers-preview.ts';
import type { Refused } from './import-refusals.ts';

/** Enough for 100,000 customers. */
const TABLE_BYTES = 16 * 1024 * 1024;
/** Columns that can be chosen from. */
const MAX_COLUMNS = 60;

/** Opened by spreadsheets: in UTF-8, with an example. */
const example: Partial<Record<CustomerField, string>> = {
  reference: '1001',
  name: 'Example Ltd',
  numbers: '+49 30 23125000|+49 171 3920000',
};
const template = `\ufeff${columns.join(',')}\r\n${columns.map((name) => example[name] ?? '').join(',')}\r\n`;

/** Customers as CSV: import with a choice of columns and a preview, and export. */
export function importPages(
  pages: Pages,
  { store: { customers } }: { readonly store: { readonly customers: CustomerStore } },
): void {
  pages.get('/customers/export', 'administrator', async ({ account, audit }) => {
    await audit('export', 'customers');
    return {
      download: 'customers.csv',
      type: 'text/csv; charset=utf-8',
      content: exportCustomers(customers, account.id),
    };
  });
  pages.get('/customers/import/template', 'administrator', () => ({
    download: 'customers-template.csv',
    type: 'text/csv; charset=utf-8',
    content: template,
  }));
  pages.get('/customers/import', 'administrator', (request) => importPage(request));
  // How far each account's import is, for the page that waits for its answer (client/import.js); another process knows none.
  const running = new Map<number, string>();
  pages.get('/customers/import/progress', 'administrator', ({ account }) => ({
    type: 'text/plain; charset=utf-8',
    content: running.get(account.id) ?? '',
    download: 'progress.txt',
  }));
  pages.post(
    '/customers/import',
    'administrator',
    async (request) => {
      const { account, form, words } = request;
      const csv = form.get('table') ?? '';
      const input = () => Readable.from([csv]);
      try {
        const lines = firstLines(csv);
        const guessed = guessMapping(lines[0]);
        const mapping = lines[0].map((_, index) => chosen(form, index) ?? guessed[index] ?? '');
        const into = { customers, account: account.id, country: account.country, mapping, words };
        const isTable = namesCustomers(mapping);
        if (!form.has('confirmed') || !isTable) {
          const look = async () => (isTable ? await previewImport(input(), into) : undefined);
          let preview = await look();
          if (form.has('create') && preview?.canCreate) {
            const added = await customers.addSegments(account.id, preview.missingSegments, NEW_PRIORITY);
            for (const name of added)
              await request.audit('settings', `segment ${name}: priority ${NEW_PRIORITY}`);
            preview = await look();
          }
          return previewPage(request, csv, lines, mapping, preview);
        }
        const all = csv.split('\n').length - 2;
        const progress = (done: number) =>
          running.set(
            account.id,
            words.importing.soFar(request.formats.number(done), request.formats.number(all)),
          );
        const report = await importCustomers(input(), { ...into, progress }).finally(() =>
          running.delete(account.id),
        );
        await request.audit('import', importSummary(report));
        const { importing: text } = words;
        return importPage(
          request,
          html`${notice(text.imported(report.imported))}
            ${report.refused > 0 && notice(text.skipped(report.refused), 'bad')}
            ${errorList(request, report.errors)}`,
        );
      } catch (error) {
        if (!(error instanceof BadTable)) throw error;
        const why = notice(html`${words.importing.badTable} ${displayText(error.message)}`, 'bad');
        return { ...importPage(request, why, csv), status: 422 };
      }
    },
    { bytes: TABLE_BYTES },
  );
}

/** What somebody chose for a column of the table. */
function chosen(form: URLSearchParams, index: number): Mapping[number] | undefined {
  const value = form.get(`column-${index}`);
  return value === '' ? '' : columns.find((column) => column === value);
}

function importPage(request: PageRequest, above: Html = null, csv = ''): Page {
  const { layout, importing: text } = request.words;
  return {
    title: text.title,
    scripts: ['import.js'],
    body: html`
      <a class="back" href="/customers">${icon('chevron-left')}${layout.customers}</a>
      <h1>${text.title}</h1>
      ${above}
      <section class="card">
        ${changeForm(
          { action: '/customers/import', token: request.token, label: text.title },
          html`
            <div class="field" id="file" hidden>
              <label for="f-file">${text.file}</label>
              <input id="f-file" type="file" accept=".csv,.txt,.tsv,text/csv" />
            </div>
            <div class="field broad">
              <label for="f-table">${text.table}</label>
              <textarea id="f-table" name="table" rows="10" spellcheck="false" aria-describedby="h-table">${csv}</textarea>
              <p class="hint" id="h-table">${text.tableHint} <a href="/customers/import/template">${text.template}</a></p>
            </div>
            <button type="submit" class="primary">${text.preview}</button>
          `,
        )}
      </section>
    `,
  };
}

function previewPage(
  request: PageRequest,
  csv: string,
  [header, example]: ReturnType<typeof firstLines>,
  mapping: Mapping,
  preview: ImportPreview | undefined,
): Page {
  const { token, words, account } = request;
  const { importing: text } = words;
  const options = [
    ['', text.leaveOut] as const,
    ...columns.map((name) => [name, customerFields[name].label(words)] as const),
  ];
  const valid = preview ? preview.added + preview.changed + preview.same : 0;
  const hiddenTable = html`<textarea name="table" hidden>${csv}</textarea>`;
  const chosenColumns = hiddenFields(
    Object.fromEntries(mapping.map((column, index) => [`column-${index}`, column])),
  );
  return {
    title: text.title,
    scripts: ['import.js'],
    body: html`
      <a class="back" href="/customers/import">${icon('chevron-left')}${text.table}</a>
      <h1>${text.title}</h1>
      ${
        preview
          ? html`<p><strong>${text.counts(preview.added, preview.changed, preview.same)}</strong></p>`
          : notice(text.chooseColumn, 'bad')
      }
      ${preview && preview.refused > 0 && notice(text.willBeSkipped(preview.refused), 'bad')}
      ${
        preview?.undialable.first !== undefined &&
        notice(
          html`${text.undialable(preview.undialable.count, preview.undialable.first)} ${
            account.country === null
              ? html`${text.noCountry} <a href="/account">${words.settings.account}</a>`
              : text.otherCountry
          }`,
          'bad',
        )
      }
      <section class="card" aria-labelledby="columns">
        <h2 id="columns">${text.columns}</h2>
        ${changeForm(
          { action: '/customers/import', token, label: text.columns },
          html`${hiddenTable}
            ${header.slice(0, MAX_COLUMNS).map((cell, index) =>
              choice({
                label: plainText(cell, 60),
                name: `column-${index}`,
                value: mapping[index],
                options,
                hint: example[index] ? displayText(example[index], 60) : undefined,
              }),
            )}
            <button type="submit">${text.preview}</button>`,
        )}
      </section>
      ${preview && errorList(request, preview.errors)}
      ${
        preview &&
        preview.missingSegments.length > 0 &&
        (preview.canCreate
          ? changeForm(
              { action: '/customers/import', token },
              html`${hiddenTable}${chosenColumns}<input type="hidden" name="create" value="yes" />
                <button type="submit">${text.createSegments(preview.missingSegments.length)}</button>`,
            )
          : notice(text.tooManySegments(preview.missingSegments.length, accountLimits.segments), 'bad'))
      }
      ${preview && changeTable(request, preview)}
      ${preview && html`<h2>${text.firstLines}</h2>`}
      ${
        preview &&
        table({
          caption: text.firstLines,
          rows: preview.lines,
          columns: [
            { head: text.line, end: true, cell: ({ line }) => line },
            ...shownFields.map((name): Column<ImportPreview['lines'][number]> => {
              const head = customerFields[name].label(words);
              const cell = ({ customer }: ImportPreview['lines'][number]) => previewCell(customer, name);
              return name === 'reference' ? { head, cell } : { head, cell };
            }),
          ],
          empty: null,
        })
      }
      ${
        valid > 0 &&
        changeForm(
          { action: '/customers/import', token },
          html`${hiddenTable}
            ${chosenColumns}<input type="hidden" name="confirmed" value="yes" />
            <button type="submit" class="primary">${text.importThem(valid)}</button>
            <p class="quiet" id="progress" role="status"></p>`,
        )
      }
    `,
  };
}

function previewCell(customer: Customer | string, name: CustomerField): Html {
  if (typeof customer === 'string')
    return name === 'name' && html`<span class="error">${plainText(customer)}</span>`;
  const shown = fieldText(customer, name);
  return shown && displayText(shown);
}

/** What the lines would change of known customers, field by field. */
function changeTable(request: PageRequest, { changes, changed }: ImportPreview): Html {
  const { apiLog, importing: text, common } = request.words;
  const written = (customer: Customer, name: CustomerField) =>
    fieldText({ ...customer, numbers: customer.numbers.toSorted() }, name) || apiLog.empty;
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
function errorList({ words }: PageRequest, errors: readonly Refused[]): Html {
  return (
    errors.length > 0 &&
    html`<ul class="errors">${errors.map(
      ({ message, count, lines }) =>
        html`<li>${displayText(message)} ${words.importing.line} ${lines.join(', ')}${count > lines.length && `, … (${count})`}</li>`,
    )}</ul>`
  );
}
