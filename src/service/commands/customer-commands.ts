import { createReadStream, createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Argument, type Command } from 'commander';
import { BadTable, exportCustomers, importCustomers } from '../customers/customers-csv.ts';
import { type CommandContext, CommandRefused } from './command-context.ts';

export function segmentCommands(parent: Command, { command, withStore, print }: CommandContext): void {
  const segments = parent.command('segments').description('manage customer segments and their priorities');
  command(segments, 'list', 'list segments, highest priority first').action((options) =>
    withStore(options.account, async ({ store, account }) => {
      for (const { name, priority } of await store.customers.segments(account.id))
        print(`${priority}  ${name}`);
    }),
  );
  command(segments, 'set', 'add a segment or change its priority')
    .argument('<name>')
    .addArgument(
      new Argument('<priority>', 'a whole number; higher is more important').argParser(wholeNumber),
    )
    .action((name, priority, options) =>
      withStore(options.account, ({ store, account }) =>
        store.customers.putSegment(account.id, { name, priority }),
      ),
    );
  command(segments, 'remove', 'remove a segment; its customers are kept')
    .argument('<name>')
    .action((name, options) =>
      withStore(options.account, async ({ store, account }) => {
        const removed = await store.customers.removeSegment(account.id, name);
        if (!removed) throw new CommandRefused(`there is no segment "${name}"`);
      }),
    );
}

export function customerCommands(parent: Command, { command, withStore, print, io }: CommandContext): void {
  const customers = parent.command('customers').description('manage the customers of an account');
  command(customers, 'import', 'add or update customers from a CSV file: reference,name,segment,numbers')
    .argument('<file>', '- for standard input')
    .action((file, options) =>
      withStore(options.account, async ({ store, account }) => {
        const input = file === '-' ? io.in : createReadStream(file);
        const { id, country: code } = account;
        try {
          const into = { customers: store.customers, account: id, country: code };
          const { imported, refused, errors } = await importCustomers(input, into);
          for (const { line, message } of errors) print(`line ${line}: ${message}`);
          print(`${imported} imported, ${refused} refused`);
          if (refused > 0) throw new CommandRefused('some lines could not be imported');
        } catch (error) {
          throw error instanceof BadTable ? new CommandRefused(error.message) : error;
        }
      }),
    );
  command(customers, 'export', 'write all customers as CSV')
    .argument('[file]', 'default: standard output')
    .action((file, options) =>
      withStore(options.account, async ({ store, account }) => {
        const table = Readable.from(exportCustomers(store.customers, account.id));
        if (file) await pipeline(table, createWriteStream(file, { mode: 0o600 }));
        else await pipeline(table, io.out, { end: false });
      }),
    );
  command(customers, 'remove', 'remove a customer')
    .argument('<reference>')
    .action((reference, options) =>
      withStore(options.account, async ({ store, account }) => {
        const removed = await store.customers.remove(account.id, reference);
        if (!removed) throw new CommandRefused(`there is no customer "${reference}"`);
      }),
    );
}

function wholeNumber(text: string): number {
  if (!/^-?\d{1,9}$/.test(text)) throw new CommandRefused(`not a whole number: "${text}"`);
  return Number(text);
}
