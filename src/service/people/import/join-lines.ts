import { createPause } from '../../kit/event-loop-pauses.ts';
import { folded } from '../../kit/folded.ts';
import type { Words } from '../../words/words.ts';
import { codeNames, customerFields, DENIED } from '../customer-fields.ts';
import type { LineReports } from '../import-refusals.ts';
import {
  addLine,
  type ImportedCustomer,
  isSameName,
  type Line,
  nameIn,
  nameOf,
  onlyAdds,
} from './imported-customer.ts';
import type { KnownCustomers } from './known-customers.ts';

/**
 * Finds out which lines are about the same customer: those with one reference; and a line without a reference is about the
 * customer who has one of its numbers and its name, in the account or else in the table. Who has no name, in a line or
 * of a customer, is known by the number only. A line without a reference renames no customer. Those with a reference in
 * the table come first.
 */
export async function joinLines(
  lines: readonly Line[],
  { byReference, byNumber }: KnownCustomers,
  { refused, left, unsure, repeated }: LineReports,
  words: Words,
): Promise<ImportedCustomer[]> {
  const { importing } = words;
  const pause = createPause();
  const customers: ImportedCustomer[] = [];
  const keyed = new Map<string, ImportedCustomer>();
  /** Whose lines have a number: the first of them, and of each name. */
  const having = new Map<string, ImportedCustomer>();
  const place = (number: string, name: string) => `${number} ${folded(name)}`;

  const nameNow = (customer: ImportedCustomer) => nameIn(customer, byReference.get(customer.reference ?? ''));

  function withReference(reference: string | undefined, hasKey: boolean): ImportedCustomer {
    const there = reference === undefined ? undefined : keyed.get(reference);
    if (there) return there;
    const customer: ImportedCustomer = {
      reference,
      hasKey,
      lines: [],
      texts: {},
      segment: undefined,
      numbers: undefined,
      keyedNumbers: 0,
      unreadLine: undefined,
    };
    customers.push(customer);
    if (reference !== undefined) keyed.set(reference, customer);
    return customer;
  }

  /** The name of the customer who has a number once the lines with references count, and that customer. */
  function ownerOf(number: string): { name: string; customer: () => ImportedCustomer } | undefined {
    const known = byNumber.get(number);
    const listed = known && keyed.get(known.reference);
    if (known && (!listed || onlyAdds(listed) || listed.numbers?.has(number)))
      return {
        name: listed ? nameNow(listed) : nameOf(known),
        customer: () => withReference(known.reference, false),
      };
    const next = having.get(number);
    return next?.hasKey ? { name: nameNow(next), customer: () => next } : undefined;
  }

  function withoutReference({ numbers = [], texts: { name = '' } }: Line): ImportedCustomer {
    const owners = numbers.flatMap((number) => ownerOf(number) ?? []);
    const others = (name: string) =>
      numbers.flatMap((number) => having.get(name === '' ? number : place(number, name)) ?? []);
    const named = owners.find((one) => one.name !== '' && isSameName(name, one.name));
    if (named) return named.customer();
    const [sameName] = name === '' ? [] : others(name);
    if (sameName) return sameName;
    const nameless = owners.find((one) => isSameName(name, one.name));
    if (nameless) return nameless.customer();
    const other = others('').find((one) => isSameName(name, nameNow(one)));
    if (other) return other;
    return withReference(undefined, false);
  }

  function take(line: Line): void {
    const { reference, numbers = [], unread } = line;
    if (reference === undefined && numbers.length === 0) {
      refused.add(line.line, unread[0] ?? importing.nothing);
      return;
    }
    const customer = reference === undefined ? withoutReference(line) : withReference(reference, true);
    if (customer.lines.length > 0) repeated.add(line.line, repetition(customer, line));
    for (const message of [...unread, ...line.lost]) left.add(line.line, message);
    for (const message of line.unsure) unsure.add(line.line, message);
    addLine(customer, reference === undefined ? addition(customer, line) : line);
    if (reference === undefined) note(customer, numbers);
  }

  /** What a line without a reference adds: what is known of the customer stays. Codes that differ are named. */
  function addition(customer: ImportedCustomer, line: Line): Line {
    const texts = { ...line.texts };
    if (nameNow(customer) !== '') texts.name = undefined;
    for (const name of codeNames) {
      const known = customer.texts[name] ?? byReference.get(customer.reference ?? '')?.[name];
      const said = texts[name];
      if (!known || !said) continue;
      texts[name] = undefined;
      if (said !== known)
        left.add(
          line.line,
          importing.onlyAdds(customerFields[name].label(words), said === DENIED ? 'no' : said, known),
        );
    }
    return { ...line, texts };
  }

  function note(customer: ImportedCustomer, numbers: Iterable<string>): void {
    const name = nameNow(customer);
    for (const number of numbers)
      for (const key of [number, place(number, name)]) if (!having.has(key)) having.set(key, customer);
  }

  function repetition(
    { texts: { name: before }, lines }: ImportedCustomer,
    { reference, texts: { name } }: Line,
  ) {
    if (reference === undefined) return importing.repeatedCustomer;
    if (!name || !before || name === before) return importing.repeated;
    return importing.otherName(reference, name, before, lines[0] ?? 0);
  }

  // Those with a reference first: others may be about the same customers, wherever they stand.
  for (const line of lines) {
    await pause();
    if (line.reference !== undefined) take(line);
  }
  for (const customer of customers) {
    await pause();
    note(customer, customer.numbers?.keys() ?? []);
  }
  for (const line of lines) {
    await pause();
    if (line.reference === undefined) take(line);
  }
  for (const { lines } of customers) {
    await pause();
    lines.sort((a, b) => a - b);
  }
  return customers;
}
