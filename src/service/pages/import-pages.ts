import { Readable } from 'node:stream';
import { BadTable, exportCustomers, importCustomers } from '../customers/customers-csv.ts';
import { type ImportPreview, previewImport } from '../customers/customers-preview.ts';
import type { ServiceContext } from '../http/context.ts';
import { changeForm, notice } from './kit/form.ts';
import { type Html, html } from './kit/html.ts';
import { plain, shown } from './kit/shown.ts';
import { table } from './kit/table.ts';
import type { Page, Pages, Visit } from './kit/visit.ts';

/** A hundred thousand customers. */
const TABLE_BYTES = 16 * 1024 * 1024;

/** Customers as CSV: in, with a look at what would happen first, and out. */
export function importPages(pages: Pages, { store: { customers } }: ServiceContext): void {
  pages.get('/customers/export', 'administrator', ({ account }) => ({
    download: 'customers.csv',
    type: 'text/csv; charset=utf-8',
    content: exportCustomers(customers, account.id),
  }));
  pages.get('/customers/import', 'administrator', (visit) => importPage(visit));
  pages.post(
    '/customers/import',
    'administrator',
    async (visit) => {
      const { account, form } = visit;
      const text = form.get('table') ?? '';
      const into = { customers, account: account.id, country: account.country };
      const input = () => Readable.from([text]);
      try {
        if (!form.has('certain')) return previewPage(visit, text, await previewImport(input(), into));
        const report = await importCustomers(input(), into);
        return importPage(
          visit,
          html`${notice(`${report.imported} customers are in.`)}
            ${report.refused > 0 && notice(`${report.refused} lines were left out.`, 'bad')}
            ${errorList(report.errors)}`,
        );
      } catch (error) {
        if (error instanceof BadTable)
          return { ...importPage(visit, notice(error.message, 'bad'), text), status: 422 };
        throw error;
      }
    },
    { bytes: TABLE_BYTES },
  );
}

function importPage(visit: Visit, above: Html = null, text = ''): Page {
  return {
    title: 'Import customers',
    scripts: ['import.js'],
    body: html`
      <p><a href="/customers">← Customers</a></p>
      <h1>Import customers</h1>
      ${above}
      <section class="card">
        ${changeForm(
          { action: '/customers/import', token: visit.token, label: 'Import customers' },
          html`
            <div class="field" id="file" hidden>
              <label for="f-file">A CSV file</label>
              <input id="f-file" type="file" accept=".csv,.txt,.tsv,text/csv" />
            </div>
            <div class="field broad">
              <label for="f-table">The table, or a part of a spreadsheet</label>
              <textarea id="f-table" name="table" rows="10" spellcheck="false" aria-describedby="h-table">${text}</textarea>
              <p class="hint" id="h-table">The first line names the columns <code>reference,name,segment,numbers</code>; only the last must be there. Several numbers have a <code>|</code> between them. A reference that is known already is changed, others are added; nobody is removed.</p>
            </div>
            <button type="submit" class="main">See what would happen</button>
          `,
        )}
      </section>
    `,
  };
}

function previewPage(visit: Visit, text: string, preview: ImportPreview): Page {
  const { added, changed, same, refused, lines, errors } = preview;
  const taken = added + changed + same;
  return {
    title: 'Import customers',
    body: html`
      <p><a href="/customers/import">← Another table</a></p>
      <h1>Import customers</h1>
      <p><strong>${added} new, ${changed} changed, ${same} as they are.</strong> Nothing is changed yet.</p>
      ${refused > 0 && notice(`${refused} lines cannot be taken, and would be left out.`, 'bad')}
      ${errorList(errors)}
      ${table({
        caption: 'The first lines, as they are read',
        rows: lines,
        columns: [
          { head: 'Line', numeric: true, cell: ({ line }) => line },
          {
            head: 'Name',
            cell: ({ customer }) =>
              typeof customer === 'string'
                ? html`<span class="error">${plain(customer)}</span>`
                : shown(customer.name),
          },
          {
            head: 'Segment',
            cell: ({ customer }) =>
              typeof customer !== 'string' && customer.segment && shown(customer.segment),
          },
          {
            head: 'Numbers',
            cell: ({ customer }) => typeof customer !== 'string' && customer.numbers.join(', '),
          },
          {
            head: 'Reference',
            wide: true,
            cell: ({ customer }) => typeof customer !== 'string' && shown(customer.reference),
          },
        ],
        empty: html`<p>The table has no line but its header.</p>`,
      })}
      ${
        taken > 0 &&
        changeForm(
          { action: '/customers/import', token: visit.token },
          html`<textarea name="table" hidden>${text}</textarea>
            <input type="hidden" name="certain" value="yes" />
            <button type="submit" class="main">Import ${taken} customers</button>`,
        )
      }
    `,
  };
}

function errorList(errors: readonly { line: number; message: string }[]): Html {
  return (
    errors.length > 0 &&
    html`<ul class="errors">${errors.map(({ line, message }) => html`<li>Line ${line}: ${shown(message)}</li>`)}</ul>`
  );
}
