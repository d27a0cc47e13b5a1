import { Readable } from 'node:stream';
import { BadTable, exportCustomers, importCustomers, importSummary } from '../customers/customers-csv.ts';
import { type ImportPreview, previewImport } from '../customers/customers-preview.ts';
import type { ServiceContext } from '../http/context.ts';
import { displayText, plainText } from './kit/display-text.ts';
import { changeForm, notice } from './kit/form.ts';
import { counted } from './kit/formats.ts';
import { type Html, html } from './kit/html.ts';
import type { Page, PageRequest, Pages } from './kit/page-request.ts';
import { table } from './kit/table.ts';

/** Enough for 100,000 customers. */
const TABLE_BYTES = 16 * 1024 * 1024;

/** Customers as CSV: import with a preview, and export. */
export function importPages(pages: Pages, { store: { customers } }: ServiceContext): void {
  pages.get('/customers/export', 'administrator', async ({ account, audit }) => {
    await audit('export', 'customers');
    return {
      download: 'customers.csv',
      type: 'text/csv; charset=utf-8',
      content: exportCustomers(customers, account.id),
    };
  });
  pages.get('/customers/import', 'administrator', (request) => importPage(request));
  pages.post(
    '/customers/import',
    'administrator',
    async (request) => {
      const { account, form } = request;
      const text = form.get('table') ?? '';
      const into = { customers, account: account.id, country: account.country };
      const input = () => Readable.from([text]);
      try {
        if (!form.has('confirmed')) return previewPage(request, text, await previewImport(input(), into));
        const report = await importCustomers(input(), into);
        await request.audit('import', importSummary(report));
        return importPage(
          request,
          html`${notice(`${counted(report.imported, 'customer')} imported.`)}
            ${report.refused > 0 && notice(`${counted(report.refused, 'line')} skipped.`, 'bad')}
            ${errorList(report.errors)}`,
        );
      } catch (error) {
        if (error instanceof BadTable)
          return { ...importPage(request, notice(error.message, 'bad'), text), status: 422 };
        throw error;
      }
    },
    { bytes: TABLE_BYTES },
  );
}

function importPage(request: PageRequest, above: Html = null, text = ''): Page {
  return {
    title: 'Import customers',
    scripts: ['import.js'],
    body: html`
      <p><a href="/customers">← Customers</a></p>
      <h1>Import customers</h1>
      ${above}
      <section class="card">
        ${changeForm(
          { action: '/customers/import', token: request.token, label: 'Import customers' },
          html`
            <div class="field" id="file" hidden>
              <label for="f-file">CSV file</label>
              <input id="f-file" type="file" accept=".csv,.txt,.tsv,text/csv" />
            </div>
            <div class="field broad">
              <label for="f-table">CSV text, or cells copied from a spreadsheet</label>
              <textarea id="f-table" name="table" rows="10" spellcheck="false" aria-describedby="h-table">${text}</textarea>
              <p class="hint" id="h-table">The first line names the columns <code>reference,name,segment,numbers</code>; only <code>numbers</code> is required. Separate several numbers with <code>|</code>. Existing references are updated, new ones are added, nothing is deleted.</p>
            </div>
            <button type="submit" class="main">Preview</button>
          `,
        )}
      </section>
    `,
  };
}

function previewPage(request: PageRequest, text: string, preview: ImportPreview): Page {
  const { added, changed, same, refused, lines, errors } = preview;
  const valid = added + changed + same;
  return {
    title: 'Import customers',
    body: html`
      <p><a href="/customers/import">← Back to the table</a></p>
      <h1>Import customers</h1>
      <p><strong>${added} new, ${changed} changed, ${same} unchanged.</strong> Nothing has been imported yet.</p>
      ${refused > 0 && notice(`${counted(refused, 'line')} with errors will be skipped.`, 'bad')}
      ${errorList(errors)}
      ${table({
        caption: 'First lines of the table',
        rows: lines,
        columns: [
          { head: 'Line', numeric: true, cell: ({ line }) => line },
          {
            head: 'Name',
            cell: ({ customer }) =>
              typeof customer === 'string'
                ? html`<span class="error">${plainText(customer)}</span>`
                : displayText(customer.name),
          },
          {
            head: 'Segment',
            cell: ({ customer }) =>
              typeof customer !== 'string' && customer.segment && displayText(customer.segment),
          },
          {
            head: 'Numbers',
            cell: ({ customer }) => typeof customer !== 'string' && customer.numbers.join(', '),
          },
          {
            head: 'Reference',
            wide: true,
            cell: ({ customer }) => typeof customer !== 'string' && displayText(customer.reference),
          },
        ],
        empty: html`<p>There are no lines below the header.</p>`,
      })}
      ${
        valid > 0 &&
        changeForm(
          { action: '/customers/import', token: request.token },
          html`<textarea name="table" hidden>${text}</textarea>
            <input type="hidden" name="confirmed" value="yes" />
            <button type="submit" class="main">Import ${counted(valid, 'customer')}</button>`,
        )
      }
    `,
  };
}

function errorList(errors: readonly { line: number; message: string }[]): Html {
  return (
    errors.length > 0 &&
    html`<ul class="errors">${errors.map(({ line, message }) => html`<li>Line ${line}: ${displayText(message)}</li>`)}</ul>`
  );
}
