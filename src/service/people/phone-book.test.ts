import assert from 'node:assert/strict';
import { test } from 'node:test';
import { phoneBook, phoneBookFormats } from './phone-book.ts';

const customers = [
  { reference: '2', name: 'Łódź & <Sons>\u0000', numbers: ['+48512345678', '+48512345679', '+1', '+2'] },
  { reference: '1', name: '', numbers: ['+4930901820'] },
  { reference: '3', name: 'No number', numbers: [] },
];

const bookOf = async (file: string, plus = '+', of = customers) => {
  const format = phoneBookFormats.find((one) => one.file === file);
  assert.ok(format);
  return (await phoneBook(format, of, plus)).toString();
};

test('each maker gets its own elements, sorted by name; a number more than an entry takes is another entry', async () => {
  const name = '<Name>Łódź &amp; &lt;Sons&gt;</Name>';
  assert.equal(
    await bookOf('fanvil.xml'),
    `<?xml version="1.0" encoding="UTF-8"?>
<FanvilIPPhoneDirectory>
<DirectoryEntry><Name>1</Name><Telephone>+4930901820</Telephone></DirectoryEntry>
<DirectoryEntry>${name}<Telephone>+48512345678</Telephone><Mobile>+48512345679</Mobile><Other>+1</Other></DirectoryEntry>
<DirectoryEntry>${name}<Telephone>+2</Telephone></DirectoryEntry>
</FanvilIPPhoneDirectory>
`,
  );
  assert.match(
    await bookOf('phonebook.xml'),
    /<AddressBook>\n<Contact><FirstName>1<\/FirstName><Phone><phonenumber>\+4930901820<\/phonenumber><accountindex>0<\/accountindex><\/Phone><\/Contact>\n/,
  );
  assert.match(await bookOf('yealink.xml'), /<Telephone>\+48512345678<\/Telephone><Telephone>\+48512345679</);
  assert.equal((await bookOf('snom.xml')).match(/<DirectoryEntry>/g)?.length, 5);
});

test('a phone system that dials no plus gets what stands for it', async () => {
  assert.match(await bookOf('snom.xml', '000'), /<Telephone>0004930901820</);
});

test('others have turns of the event loop while a long one is made', async () => {
  const numbers = Array.from({ length: 100 }, (_, n) => `+4930${1_000_000 + n}`);
  const many = Array.from({ length: 1_000 }, (_, n) => ({
    reference: `${n}`,
    name: `Customer ${n}`,
    numbers,
  }));
  const format = phoneBookFormats[1];
  assert.ok(format);
  let isMade = false;
  let turns = 0;
  const turn = () => {
    if (isMade) return;
    turns += 1;
    setImmediate(turn);
  };
  setImmediate(turn);
  const book = await phoneBook(format, many, '+');
  isMade = true;
  assert.equal(book.toString().match(/<Telephone>/g)?.length, 100_000);
  assert.ok(turns > 1);
});

test('a number that is stored in two forms is listed once, as on pages', async () => {
  const numbers = ['+541143219876', '+541187654321', '+5491143219876', '+5491187654321', '+5492211112222'];
  const book = await bookOf('snom.xml', '+', [{ reference: 'A', name: 'Ana', numbers }]);
  assert.deepEqual(
    [...book.matchAll(/<Telephone>(.*?)</g)].map(([, number]) => number),
    ['+541143219876', '+541187654321', '+5492211112222'],
  );
});
