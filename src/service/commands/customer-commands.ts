import { createReadStream, createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Argument, type Command } from 'commander';
import { exportedNumber, normaliseNumber } from '../../shared/phone-number/normalise-number.ts';
import { longWork } from '../../shared/process/long-work.ts';
import { newestCalls } from '../calls/call-store.ts';
import { counted } from '../kit/formats.ts';
import { Refusal } from '../kit/refusal.ts';
import { columns } from '../people/customer-fields.ts';
import { BadTable, importCustomers, importSummary } from '../people/customers-csv.ts';
import { exportCustomers } from '../people/customers-export.ts';
import { forgetNumber, forgetSummary, isUnknown } from '../people/forget-number.ts';
import { columnUses } from '../people/import/choose-columns.ts';
import { readText, UnknownCharset, UnknownEncoding } from '../people/import/decode-text.ts';
import { linesText } from '../people/import-refusals.ts';
import { plainText } from '../rules/plain-text.ts';
import { type CommandContext, CommandRefused, nameArgument, type OpenedStore } from './command-context.ts';

export function segmentCommands(parent: Command, { command, withStore, print }: CommandContext): void {
  const segments = parent.command('segments').description('manage customer segments and their priorities');
  command(segments, 'list', 'list segments, highest priority first').action((options) =>
    withStore(options.account, async ({ store, account }) => {
      for (const { name, priority } of await store.customers.segments(account.id))
        print(`${priority}  ${name}`);
    }),
  );
  command(segments, 'set', 'add a segment or change its priority')
    .argument('<name>', '', nameArgument)
    .addArgument(
      new Argument('<priority>', 'a whole number; higher is more important').argParser(wholeNumber),
    )
    .action((name, priority, options) =>
      withStore(options.account, async ({ store, account, audit }) => {
        await store.customers.putSegment(account.id, { name, priority });
        await audit('settings', `segment ${name}: priority ${priority}`);
      }),
    );
  command(segments, 'remove', 'remove a segment; its customers are kept')
    .argument('<name>')
    .action((name, options) =>
      withStore(options.account, async ({ store, account, audit }) => {
        const removed = await store.customers.removeSegment(account.id, name);
        if (!removed) throw new CommandRefused(`there is no segment "${name}"`);
        await audit('removal', `segment ${name}`);
      }),
    );
}

export function forgetCommand(parent: Command, { command, withStore, print }: CommandContext): void {
  command(parent, 'forget', 'remove a number from calls, request history, customers and audit log')
    .argument('<number>', 'with + or as dialled in the country of the account')
    .action((given, options) =>
      withStore(options.account, async ({ store, account, audit }) => {
        const number = normaliseNumber(given, account.country);
        if (number === '') throw new CommandRefused(`not a phone number: "${given}"`);
        const other = await otherNumber(given, store, account);
        if (other !== undefined)
          throw new CommandRefused(
            `"${given}" can be ${number}, or ${other}, which is a number of no country. Give the one that you mean, with its plus.`,
          );
        const left = () => 'some of what names the number is left; the same command again removes it';
        const report = await longWork('reading requests', { left }, (progress) =>
          forgetNumber(store, account.id, number, progress),
        );
        await audit('forget', forgetSummary(report));
        if (isUnknown(report) && !number.startsWith('+'))
          print(
            `Nothing has the number ${number}. Give it with + and the country code: the account has no country.`,
          );
        print(
          forgetSummary(report),
          `Backups still hold it, and a PostgreSQL server until it has vacuumed. For a bridge: pbx-bridge forget ${number}.`,
        );
      }),
    );
}

/** What these digits also can be, as pages show it: a caller's number of no country, which had a plus. */
async function otherNumber(
  given: string,
  { calls, customers }: OpenedStore['store'],
  { id, country }: OpenedStore['account'],
): Promise<string | undefined> {
  const digits = given.replace(/\s/g, '');
  if (!/^\d+$/.test(digits) || exportedNumber(digits, country) === digits) return undefined;
  const called = await newestCalls(calls, id, { number: { is: digits } }, 1);
  const isThere = called.length > 0 || (await customers.withNumber(id, digits))?.numbers.includes(digits);
  return isThere ? exportedNumber(digits, country) : undefined;
}

export function customerCommands(parent: Command, context: CommandContext): void {
  const customers = parent.command('customers').description('manage the customers of an account');
  for (const add of [importCommand, exportCommand, removeCommand]) add(customers, context);
}

function importCommand(customers: Command, context: CommandContext): void {
  context
    .command(
      customers,
      'import',
      `add or update customers from a CSV file: ${columns.join(',')}, and country for national numbers; a missing column leaves that field as it is, an empty cell empties it`,
    )
    .argument('<file>', '- for standard input')
    .option(
      '--charset <name>',
      'the encoding of the file, such as windows-1250; UTF-8, UTF-16 and Windows-1252 are recognised',
    )
    .option('--create-segments', 'create the segments that do not exist, with priority 0')
    .action((file, options) =>
      context.withStore(options.account, async (opened) => {
        const report = await importFile(file, options, opened, context).catch((error) => {
          throw refusalOf(error);
        });
        printReport(report, context);
        if (report.refused > 0) throw new CommandRefused('some lines could not be imported');
        if (report.left > 0) throw new CommandRefused('some values could not be imported');
      }),
    );
}

async function importFile(
  file: string,
  options: { readonly charset?: string; readonly createSegments?: boolean },
  { store, account, audit }: OpenedStore,
  { io }: CommandContext,
) {
  const { charset, createSegments = false } = options;
  const table = await readText(file === '-' ? io.in : createReadStream(file), { charset });
  let stored = 0;
  const left = () =>
    `at least ${counted(stored, 'customer')} stored; the same command again does the rest, and leaves those as they are`;
  const report = await longWork(`storing the customers of ${file}`, { left }, (progress) =>
    importCustomers(table, {
      customers: store.customers,
      account: account.id,
      country: account.country,
      createSegments,
      progress(imported, all) {
        stored = imported;
        progress(imported, all);
      },
    }),
  );
  await audit('import', importSummary(report));
  return report;
}

function printReport(report: Awaited<ReturnType<typeof importFile>>, { print }: CommandContext): void {
  const unknown = report.unknownColumns.map((name) => plainText(name, 60)).join(', ');
  if (unknown !== '')
    print(`columns that are not known, and not imported: ${unknown} (known are ${columnUses.join()})`);
  for (const reason of [...report.errors, ...report.leftOut, ...report.warnings])
    print(`${linesText(reason)}: ${reason.message}`);
  print(importSummary(report));
}

/** What is wrong with a table, for who gave it. */
function refusalOf(error: unknown): unknown {
  if (error instanceof UnknownEncoding)
    return new CommandRefused(`${error.message} Or name its encoding with --charset.`);
  if (error instanceof UnknownCharset) return new CommandRefused(`the encoding ${error.message} is unknown`);
  const isRefused = error instanceof BadTable || error instanceof Refusal;
  return isRefused ? new CommandRefused(error.message) : error;
}

function exportCommand(customers: Command, { command, withStore, io }: CommandContext): void {
  command(customers, 'export', 'write all customers as CSV')
    .argument('[file]', 'default: standard output')
    .action((file, options) =>
      withStore(options.account, async ({ store, account, audit }) => {
        await audit('export', 'customers');
        const table = Readable.from(exportCustomers(store.customers, account));
        if (file) await pipeline(table, createWriteStream(file, { mode: 0o600 }));
        else await pipeline(table, io.out, { end: false });
      }),
    );
}

function removeCommand(customers: Command, { command, withStore }: CommandContext): void {
  command(customers, 'remove', 'remove a customer')
    .argument('<reference>')
    .action((reference, options) =>
      withStore(options.account, async ({ store, account, audit }) => {
        const removed = await store.customers.remove(account.id, reference);
        if (!removed) throw new CommandRefused(`there is no customer "${reference}"`);
        await audit('removal', `customer ${reference}`);
      }),
    );
}

function wholeNumber(text: string): number {
  if (!/^-?\d{1,9}$/.test(text)) throw new CommandRefused(`not a whole number: "${text}"`);
  return Number(text);
}
