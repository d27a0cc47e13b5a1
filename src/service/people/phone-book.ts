import { createPause } from '../kit/event-loop-pauses.ts';
import { type Customer, listedNumbers } from './customer-fields.ts';

/** How the desk phones of a maker take a phone book. */
type Format = {
  /** The file's name, as the phones ask for it or as their administrator enters it. */
  readonly file: string;
  readonly maker: string;
  readonly root: string;
  /** How many numbers an entry has; further ones are further entries. */
  readonly numbers: number;
  readonly entry: (name: string, numbers: readonly string[]) => string;
};

const element = (name: string, text: string) => `<${name}>${text}</${name}>`;
const directoryEntry = (name: string, numbers: readonly string[], elements: readonly string[]) =>
  element(
    'DirectoryEntry',
    element('Name', name) +
      numbers.map((number, index) => element(elements[index] ?? 'Telephone', number)).join(''),
  );

/** As the makers document them. Grandstream's phones add the file's name to an address by themselves. */
export const phoneBookFormats: readonly Format[] = [
  {
    file: 'yealink.xml',
    maker: 'Yealink',
    root: 'YealinkIPPhoneDirectory',
    numbers: 3,
    entry: (name, numbers) => directoryEntry(name, numbers, []),
  },
  {
    file: 'snom.xml',
    maker: 'Snom',
    root: 'SnomIPPhoneDirectory',
    numbers: 1,
    entry: (name, numbers) => directoryEntry(name, numbers, []),
  },
  {
    file: 'phonebook.xml',
    maker: 'Grandstream',
    root: 'AddressBook',
    numbers: 3,
    entry: (name, numbers) =>
      element(
        'Contact',
        element('FirstName', name) +
          numbers
            .map((number) => element('Phone', element('phonenumber', number) + element('accountindex', '0')))
            .join(''),
      ),
  },
  {
    file: 'fanvil.xml',
    maker: 'Fanvil',
    root: 'FanvilIPPhoneDirectory',
    numbers: 3,
    entry: (name, numbers) => directoryEntry(name, numbers, ['Telephone', 'Mobile', 'Other']),
  },
];

/**
 * A phone book for desk phones, sorted by name, in UTF-8. It has hundreds of thousands of numbers at most: other requests are answered
 * meanwhile.
 * @param plus what stands in place of the plus of a number, such as `00` or, with an outside line, `000`
 */
export async function phoneBook(
  { root, numbers: most, entry }: Format,
  customers: readonly Pick<Customer, 'name' | 'reference' | 'numbers'>[],
  plus: string,
): Promise<Buffer> {
  const { compare } = new Intl.Collator();
  const sorted = customers
    .map(({ name, reference, numbers }) => ({ name: name || reference, numbers }))
    .sort((a, b) => compare(a.name, b.name));
  const pause = createPause();
  const parts = [Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>\n<${root}>\n`)];
  for (const { name, numbers } of sorted) {
    const listed = listedNumbers(numbers).map((number) => number.replace('+', plus));
    for (let at = 0; at < listed.length; at += most)
      parts.push(Buffer.from(`${entry(xmlText(name), listed.slice(at, at + most))}\n`));
    await pause();
  }
  return Buffer.concat([...parts, Buffer.from(`</${root}>\n`)]);
}

const references: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Text in an element (XML 1.0, 2.2): what is no character there, such as a control character, is left out. */
const xmlText = (text: string): string =>
  text
    .replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '')
    .replace(/[&<>]/g, (character) => references[character] ?? '');
