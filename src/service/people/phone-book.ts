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
 * A phone book for desk phones, sorted by name.
 * @param plus what stands in place of the plus of a number, such as `00` or, with an outside line, `000`
 */
export function phoneBook(
  { root, numbers: most, entry }: Format,
  customers: readonly Pick<Customer, 'name' | 'reference' | 'numbers'>[],
  plus: string,
): string {
  const { compare } = new Intl.Collator();
  const entries = customers
    .map(({ name, reference, numbers }) => ({ name: name || reference, numbers: listedNumbers(numbers) }))
    .sort((a, b) => compare(a.name, b.name))
    .flatMap(({ name, numbers }) =>
      Array.from({ length: Math.ceil(numbers.length / most) }, (_, n) =>
        entry(
          xmlText(name),
          numbers.slice(n * most, (n + 1) * most).map((number) => number.replace('+', plus)),
        ),
      ),
    );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root}>\n${entries.map((one) => `${one}\n`).join('')}</${root}>\n`;
}

const references: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Text in an element (XML 1.0, 2.2): what is no character there, such as a control character, is left out. */
const xmlText = (text: string): string =>
  text
    .replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '')
    .replace(/[&<>]/g, (character) => references[character] ?? '');
