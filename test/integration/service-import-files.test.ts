import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { serve } from '../tools/service/harness.ts';
import { browse, textOf, withStore } from '../tools/service/people.ts';

/** A service whose administrator imports files: what the preview says, and which customers there are then. */
async function importing(t: TestContext) {
  const served = await serve(t);
  const { send } = await browse(served, 'Ada');
  const post = async (fields: Record<string, string>, language: string) => {
    const { status, text } = await send('/customers/import', fields, { 'accept-language': language });
    assert.equal(status, 200, textOf(text));
    return text;
  };
  return {
    served,
    send,
    /** What was there before, Alpha's customer, has the number +4930901820. */
    async imports(table: string, language = 'en') {
      const preview = await post({ table }, language);
      const done = await post({ table, confirmed: 'yes' }, language);
      return { preview: textOf(preview), html: preview, done: textOf(done), customers: await customers() };
    },
    customers,
  };
  async function customers() {
    const all = await withStore(served, async (store) =>
      (await Array.fromAsync(store.customers.all(1))).flat(),
    );
    return Object.fromEntries(
      all.map(({ reference, name, numbers }) => [reference, [name, ...numbers.toSorted()]]),
    );
  }
}

test('a column of labels or counts is no number, and a table of a CRM is imported as it is', async (t) => {
  const { imports } = await importing(t);
  const { preview, customers } = await imports(
    [
      'Record ID,First Name,Last Name,Email,Phone Number,Mobile Phone Number,Contact owner,Lead Status,Number of Form Submissions,Number of Associated Deals,Associated Company',
      '51,Eva,Muster,eva@example.com,+49 30 901821,,Otto,New,3,0,Muster GmbH',
      '52,Ida,Leer,ida@example.com,,,Otto,New,0,1,',
    ].join('\n'),
  );
  assert.match(preview, /2 new, 0 changed, 0 unchanged/);
  assert.deepEqual(customers[51], ['Eva Muster Muster GmbH', '+4930901821']);
  assert.deepEqual(customers[52], ['Ida Leer']);
});

test('telephones that may be somebody else’s are shown first with their cells, to be chosen, and named if they are not', async (t) => {
  const { imports, send } = await importing(t);
  const table = [
    'Kundennr;Name;Telefon;Telefon Filiale;Telefon Steuerberater',
    '41;Adler;030 901829;30901825;030 7001001',
    '42;Bär;1713920000;30901826;030 7001002',
    '43;Cramer;1713920001;Fr. Maier 030 901827;030 7001003',
  ].join('\n');
  const { preview, html, done, customers } = await imports(table);
  const examples = /30901825, 30901826, Fr\. Maier 030 901827/;
  const isFirst = html.indexOf('name="column-3"') < html.indexOf('name="packed"');
  assert.ok(isFirst && html.split('name="column-3"').length === 2, 'once, above');
  for (const form of html.match(/<select id="f-column-[34]"[^>]*>/g) ?? [])
    assert.match(form, /form="import"/);
  assert.match(preview, /These columns seem to have phone numbers, which may be somebody else’s\./);
  assert.match(preview, examples);
  assert.match(preview, /030 7001001, 030 7001002, 030 7001003/);
  assert.match(done, /3 customers imported/);
  assert.match(done, /Column “Telefon Filiale” is not imported, but seems to have phone numbers: /);
  assert.match(done, examples);
  assert.match(done, /Column “Telefon Steuerberater” is not imported/);
  assert.deepEqual(customers[41], ['Adler', '+4930901829']);
  const columns = Object.fromEntries(
    ['reference', 'name', 'numbers', 'numbers', ''].map((use, at) => [`column-${at}`, use]),
  );
  const packed = /name="packed" value="([^"]*)"/.exec(html)?.[1] ?? '';
  const { text: chosen } = await send('/customers/import', { packed, ...columns });
  assert.match(textOf(chosen), /0 new, 3 changed, 0 unchanged/);
  const sent = { packed, ...columns, seen: seenIn(chosen), confirmed: 'yes' };
  const { text } = await send('/customers/import', sent);
  assert.doesNotMatch(text, /Filiale/);
  assert.match(textOf(text), /Column “Telefon Steuerberater” is not imported/);
});

test('numbers of lines with one reference add up, and the preview says so', async (t) => {
  const { imports } = await importing(t);
  const lines = ['Kundennr;Name;Telefon'];
  for (const last of [1, 2, 3]) lines.push(`3001;${last === 2 ? '' : 'Viele AG'};+49 40 666000${last}`);
  const { preview, done, customers } = await imports(
    [...lines, '3002;Andere AG;+49 40 6660009'].join('\r\n'),
  );
  assert.match(preview, /2 new, 0 changed, 0 unchanged/);
  assert.match(preview, /The reference of an earlier line: the numbers add up.* Line 3, 4 /);
  assert.match(done, /2 customers imported/);
  assert.deepEqual(customers[3001], ['Viele AG', '+49406660001', '+49406660002', '+49406660003']);
});

test('a cell that cannot be read is named, and its line is imported without it', async (t) => {
  const { imports } = await importing(t);
  const { preview, done, customers } = await imports(
    [
      'Kundennr;Name;Telefon;Mobil',
      '1001;Exp;4,93012E+11;0171 3920000',
      '1002;Text;siehe unten;030 901828',
      '1003;Filler;k.A.;n/a',
      '1004;Two;030 901822 / 0171 3920002;-',
      '1005;Taken;+49 30 901820;030 901829',
      '1006;;;',
      ';Nobody;irgendwas;',
    ].join('\n'),
    'de',
  );
  assert.match(preview, /2 fehlerhafte Zeilen werden übersprungen/);
  assert.match(preview, /Weder Name noch Nummer vorhanden\. Zeile 7/);
  assert.match(preview, /3 Angaben werden ausgelassen/);
  assert.match(
    preview,
    /Telefon: Eine Tabellenkalkulation hat die Nummer „4,93012E\+11“ gekürzt\. .* Zeile 2/,
  );
  assert.match(preview, /Telefon: „siehe unten“ ist keine gültige Telefonnummer\. Zeile 3/);
  assert.match(preview, /\+4930901820 gehört bereits zu „Alpha's customer“\. Zeile 6/);
  assert.match(done, /5 Kunden importiert\. 2 Zeilen übersprungen\./);
  assert.match(done, /3 Angaben ausgelassen/);
  assert.deepEqual(customers, {
    1: ["Alpha's customer", '+4930901820'],
    1001: ['Exp', '+491713920000'],
    1002: ['Text', '+4930901828'],
    1003: ['Filler'],
    1004: ['Two', '+491713920002', '+4930901822'],
    1005: ['Taken', '+4930901829'],
  });
  // The file comes again, its number shortened: what is known stays.
  const again = await imports('Kundennr;Name;Telefon\n1002;Text;4,93E+10\n');
  assert.match(again.preview, /0 new, 0 changed, 1 unchanged/);
  assert.deepEqual(again.customers[1002], customers[1002]);
});

test('a column of countries is recognised, said, and can be left out; of several, the one beside the number counts', async (t) => {
  const { imports, customers, send } = await importing(t);
  const table = [
    'Kundennr;Name;Land;Telefon',
    '1;Utrecht BV;NL;030 2393993',
    '2;Zürich AG;Schweiz;044 668 18 00',
  ];
  const { html, preview } = await imports(table.join('\n'));
  assert.match(preview, /The numbers of each line are read in the country of column “Land”\./);
  assert.match(html, /<option value="country" selected/);
  assert.deepEqual((await customers())[2], ['Zürich AG', '+41446681800']);
  const left = await send('/customers/import', { table: table.join('\n'), 'column-2': '' });
  assert.match(textOf(left.text), /1 Utrecht BV .*\+4930 ?2393993|\+49302393993/);
  assert.doesNotMatch(textOf(left.text), /are read in the country/);

  const outlook = [
    'First Name,Last Name,Home Phone,Business Phone,Business Country/Region,Home Country/Region',
    'Ann,Lee,044 668 18 01,030 901829,Germany,Switzerland',
    'Bob,Ott,030 901828,,,',
    'Cid,Roy,,01 42 34 56 78,,France',
  ];
  const done = await imports(outlook.join('\n'));
  assert.match(done.preview, /“Business Country\/Region”, “Home Country\/Region”/);
  assert.deepEqual(done.customers['+41446681801'], ['Ann Lee', '+41446681801', '+4930901829']);
  assert.deepEqual(done.customers['+4930901828'], ['Bob Ott', '+4930901828']);
  assert.deepEqual(done.customers['+33142345678'], ['Cid Roy', '+33142345678']);
});

test('a spare name is shown as such, counts where a line has no other, and can be left out; so can a printed second block', async (t) => {
  const { imports, customers, send } = await importing(t);
  const table = 'Kundennr;Firma;Kontakt;Telefon\n1;Ott KG;Eve Ott;030 901820\n2;;Max Fox;030 901821';
  const { html } = await imports(table);
  assert.match(html, /<option value="spare-name" selected>Name, where needed</);
  assert.deepEqual([(await customers())[1]?.[0], (await customers())[2]?.[0]], ['Ott KG', 'Max Fox']);
  const left = await send('/customers/import', { table, 'column-2': '' });
  assert.match(textOf(left.text), /3 Max Fox Name: Max Fox → 2/);

  const { preview } = await imports('Name;Telefon;;Name;Telefon\nAnn;030 901830;;Bob;030 901831');
  assert.match(preview, /may be somebody else’s.*Telefon.*030 901831/s);
  assert.deepEqual((await customers())['+4930901830'], ['Ann', '+4930901830']);
  assert.equal((await customers())['+4930901831'], undefined);
});

test('numbers that can be others, once a spreadsheet has removed their plus, are named: the first hundred, and how many', async (t) => {
  const { imports, customers, served } = await importing(t);
  const cells = Array.from({ length: 150 }, (_, n) => `414466${10_000 + n}`);
  const table = ['Kundennr;Telefon', ...cells.map((cell, n) => `Z${n};${cell}`), 'B;1601234567'].join('\n');
  const { preview, done } = await imports(table);
  for (const said of [preview, done]) {
    assert.match(said, /150 values may mean something else than was read/);
    assert.match(
      said,
      /Telefon: “41446610000” is read as \+4941446610000, but can also be \+41446610000\. .*? Line 2 /,
    );
    assert.equal(said.match(/can also be/g)?.length, 100);
  }
  assert.deepEqual((await customers()).Z0, ['Z0', '+4941446610000']);
  const { json } = await served.ask(`${served.url}/admin/customers`, {
    token: served.a.admin,
    method: 'POST',
    headers: { 'content-type': 'text/csv' },
    body: 'reference,numbers\nY,41446681800\n',
  });
  const { unsure, warnings } = json as { unsure: number; warnings: { message: string; lines: number[] }[] };
  assert.deepEqual([unsure, warnings.map(({ lines }) => lines)], [1, [[2]]]);
  assert.match(warnings[0]?.message ?? '', /can also be \+41446681800/);
});

test('a customer without a reference has the first number that no other in the table has', async (t) => {
  const { imports } = await importing(t);
  const table =
    'Name;Telefon;Mobil\nAnn;030 901800;0171 3920001\nBob;030 901800;0171 3920002\nEve;030 901800;\n';
  const expected = {
    1: ["Alpha's customer", '+4930901820'],
    '+4930901800': ['Ann', '+491713920001', '+4930901800'],
    '+491713920002': ['Bob', '+491713920002'],
  };
  const { preview, customers } = await imports(table);
  assert.match(
    preview,
    /\+4930901800 already belongs to "Ann"\. Line 4 .*\+4930901800 already belongs to "Ann"\. Line 3/,
  );
  assert.deepEqual(customers, expected);
  const again = await imports(table);
  assert.match(again.preview, /0 new, 0 changed, 2 unchanged/);
  assert.deepEqual(again.customers, expected);
});

test('quotes, titles, separators in quotes and a table without a header refuse nothing', async (t) => {
  const { imports } = await importing(t);
  const { customers } = await imports(
    'sep=;\r\nKunden 2026;;\r\nKundennr;Name;Telefon\r\n1;Gasthaus "Krone";030 1234567\r\n2;12" Rohre;030 1234568\r\n3;"Bar; ""Eck""";030 1234569\r\n',
  );
  assert.deepEqual(customers[1], ['Gasthaus "Krone"', '+49301234567']);
  assert.deepEqual(customers[2], ['12" Rohre', '+49301234568']);
  assert.deepEqual(customers[3], ['Bar; "Eck"', '+49301234569']);
  const bare = await imports('4;Müller;030 1234560\n5;Meier;030 1234561\n', 'es');
  assert.match(bare.preview, /La tabla no nombra sus columnas/);
  assert.match(bare.preview, /Columna 3/);
  assert.deepEqual(bare.customers[4], ['Müller', '+49301234560']);
});

/** What a preview sends back as what was seen. */
const seenIn = (preview: string) => /name="seen" value="([^"]*)"/.exec(preview)?.[1] ?? assert.fail(preview);

test('a choice that was changed after the preview is shown before it is imported', async (t) => {
  const served = await serve(t);
  const { send } = await browse(served, 'Ada');
  const table = 'Kundennr;Name;Telefon\n7;Ann;030 1234567\n';
  const { text: preview } = await send('/customers/import', { table });
  const chosen = { 'column-0': 'reference', 'column-1': 'name', 'column-2': '' };
  const sent = { table, ...chosen, confirmed: 'yes', seen: seenIn(preview) };
  const { text: again } = await send('/customers/import', sent);
  assert.match(again, /not what you have seen.*1 new, 0 changed/s);
  const { text } = await send('/customers/import', { ...sent, seen: seenIn(again) });
  assert.match(text, /1 customer imported/);
});

test('what somebody changed after the preview is shown before it is imported', async (t) => {
  const { send, imports, customers } = await importing(t);
  const tableOf = (name: string) => `reference,name\n7,${name}\n8,Eve\n`;
  await imports(tableOf('Ann'));
  const { text: preview } = await send('/customers/import', { table: tableOf('Anna') });
  await imports(tableOf('Ann Smith'));
  const sent = { table: tableOf('Anna'), confirmed: 'yes' };
  const { text: again } = await send('/customers/import', { ...sent, seen: seenIn(preview) });
  assert.match(again, /not what you have seen.*0 new, 1 changed, 1 unchanged.*Ann Smith.* → .*Anna/s);
  assert.deepEqual((await customers())[7], ['Ann Smith']);
  await imports('reference,name\n9,Otto\n');
  const { text } = await send('/customers/import', { ...sent, seen: seenIn(again) });
  assert.match(text, /2 customers imported/, 'a change of somebody else does not matter');
  assert.deepEqual((await customers())[7], ['Anna']);
});

test('each column that is imported is shown, however many there are', async (t) => {
  const { imports } = await importing(t);
  const others = Array.from({ length: 200 }, (_, n) => `x${n}`);
  const { preview, html, customers } = await imports(
    `Kundennr;Name;${others.join(';')};Telefon\n7;Ann;${others.map(() => '').join(';')};030 1234567\n`,
  );
  assert.deepEqual(customers[7], ['Ann', '+49301234567']);
  assert.match(preview, /Telefon/);
  assert.match(html, /name="column-202"/);
  assert.doesNotMatch(html, /name="column-201"/);
});

test('a file is sent as it is, in the encoding of the program that saved it, without a script', async (t) => {
  const served = await serve(t);
  const { cookie, token } = await browse(served, 'Ada');
  const table = 'Kundennr;Name;Telefon\r\n7;Bäckerei Weiß;030 1234567\r\n';
  for (const [encoding, bytes] of [
    ['windows-1252', Buffer.from(table, 'latin1')],
    ['utf-8', Buffer.from(`\ufeff${table}`)],
    ['utf-16le', Buffer.from(`\ufeff${table}`, 'utf16le')],
  ] as const) {
    const body = new FormData();
    body.set('token', token);
    body.set('table', '');
    body.set('file', new Blob([bytes]), 'Kunden.csv');
    const answer = await fetch(`${served.url}/customers/import`, {
      method: 'POST',
      body,
      headers: { cookie, origin: served.url },
    });
    const page = await answer.text();
    assert.match(textOf(page), /1 new, 0 changed/, encoding);
    assert.match(page, /Bäckerei Weiß/, encoding);
    assert.equal(page.split('030 1234567').length, 1 + 1, 'the cell is there as an example');
  }
});

test('the page of a preview is small, and has what the import needs', async (t) => {
  const { send, customers } = await importing(t);
  const name = `"${'a""<&'.repeat(50)}"`;
  const lines = Array.from({ length: 2_000 }, (_, n) => `${1_000 + n};${name};+49301${100_000 + n}\n`);
  const table = `Kundennr;Name;Telefon\n${lines.join('')}`;
  const { text: preview } = await send('/customers/import', { table });
  assert.ok(preview.length < table.length / 4);
  const fields = [...preview.matchAll(/<input type="hidden"[^>]* name="(\w+)" value="([^"]*)"/g)];
  const sent = Object.fromEntries(fields.map(([, field = '', value = '']) => [field, value]));
  const columns = { 'column-0': 'reference', 'column-1': 'name', 'column-2': '' };
  const { text: chosen } = await send('/customers/import', { ...sent, ...columns });
  assert.match(chosen, /2000 new, 0 changed/);
  const { text } = await send('/customers/import', {
    ...sent,
    ...columns,
    seen: seenIn(chosen),
    confirmed: 'yes',
  });
  assert.match(text, /2.?000 customers imported/);
  assert.deepEqual((await customers())[2_999], ['a"<&'.repeat(50)]);
  assert.equal((await send('/customers/import', { packed: 'eA==' })).status, 400);
});

test('a file in an encoding that would damage its names is refused, and lines with invalid bytes are named', async (t) => {
  const served = await serve(t);
  const { cookie, token } = await browse(served, 'Ada');
  const preview = async (bytes: Buffer<ArrayBuffer>) => {
    const body = new FormData();
    body.set('token', token);
    body.set('file', new Blob([bytes]), 'Kunden.csv');
    const headers = { cookie, origin: served.url, 'accept-language': 'en' };
    const answer = await fetch(`${served.url}/customers/import`, { method: 'POST', body, headers });
    return [answer.status, textOf(await answer.text())] as const;
  };
  const [status, page] = await preview(
    Buffer.from('Nr;Name;Telefon\r\n7;\xa3ukasz;030 1234567\r\n', 'latin1'),
  );
  assert.equal(status, 415);
  assert.match(page, /neither UTF-8 nor Windows-1252.*CSV UTF-8/);
  const damaged = [
    Buffer.from('Nr;Name;Telefon\r\n7;Müller;030 1234567\r\n'),
    Buffer.from('8;J\xe4ger;\r\n', 'latin1'),
  ];
  const [, named] = await preview(Buffer.concat(damaged));
  assert.match(named, /1 new, 0 changed/);
  assert.match(named, /Müller/);
  assert.match(named, /valid Unicode \(UTF-8\)\. Line 3/);
});

test('a preview says that numbers lack the codes of another column, and that no column is the name', async (t) => {
  const { send } = await importing(t);
  const preview = async (table: string, language = 'en') =>
    textOf((await send('/customers/import', { table }, { 'accept-language': language })).text);
  for (const [table, ...columns] of [
    ['Nr;Name;Vorwahl;Telefon\n1;Anna;030;901820\n', 'Vorwahl'],
    ['Nr;Name;Ländervorwahl;Ortsvorwahl;Rufnummer\n1;Anna;+49;30;901820\n', 'Ländervorwahl', 'Ortsvorwahl'],
    ['Nr;Name;Telefon: Vorwahl;Telefon: Nummer\n1;Anna;030;901820\n2;Ben;040;66969199\n', 'Telefon: Vorwahl'],
    ['Nr;Name;Country code;Phone\n1;Anna;43;01 234567\n', 'Country code'],
    ['Nr;Name;Vorwahl;Telefon\n1;Anna;030;030 901820\n2;Ben;040;+49 40 66969199\n'],
    ['Nr;Name;Land;Telefon\n1;Anna;DE;030 901820\n'],
    ['Nr;Name;Country code;Phone\n1;Anna;+49;030 901820\n'],
  ] as const) {
    const page = await preview(table);
    assert.deepEqual(
      [...page.matchAll(/Column “([^”]*)” is not joined/g)].map(([, column]) => column),
      columns,
      table,
    );
    assert.doesNotMatch(page, /No column has been recognised as the name/, table);
  }
  for (const [language, text] of [
    ['de', /Die Spalte „Vorwahl“ wird nicht mit den Telefonnummern verbunden/],
    ['fr', /La colonne « Vorwahl » n’est pas jointe/],
    ['es', /La columna «Vorwahl» no se une/],
    ['nl', /De kolom ‘Vorwahl’ wordt niet met/],
  ] as const)
    assert.match(await preview('Nr;Name;Vorwahl;Telefon\n1;Anna;030;901820\n', language), text);
  assert.match(
    await preview('Kód;Cég;Telefon\n1;Anna;030 901829\n'),
    /No column has been recognised as the name/,
  );
});

test('a number that another customer has in another form is left out, too', async (t) => {
  const { imports } = await importing(t);
  const { customers } = await imports('Kundennr;Name;Telefon\n7;Ana;+54 9 11 5123 4567\n');
  assert.deepEqual(customers[7], ['Ana', '+541151234567', '+5491151234567']);
  const again = await imports('Kundennr;Name;Telefon\n8;Bea;+54 11 5123 4567, +49 30 1234567\n');
  assert.match(again.preview, /\+541151234567 already belongs to "Ana"\. Line 2/);
  assert.deepEqual(again.customers[8], ['Bea', '+49301234567']);
});

test('a known customer keeps a number that an earlier line of the table gives to somebody else', async (t) => {
  const { imports } = await importing(t);
  const { preview, customers } = await imports(
    'Kundennr;Name;Telefon\n7;Bea;030 901820\n1;Ann;030 901820, 030 1234567\n',
  );
  assert.match(preview, /\+4930901820 already belongs to "Alpha's customer"\. Line 2/);
  assert.deepEqual([customers[1], customers[7]], [['Ann', '+49301234567', '+4930901820'], ['Bea']]);
});

test('cells that are longer than any number, country or key are named, and are not searched through', async (t) => {
  const { imports } = await importing(t);
  // Each of these was matched in time that grows with the square of its length: many minutes.
  const long = { at: '@', arabic: '٠ ', digits: '1 ', hashes: '#' };
  for (const [reference, part] of Object.entries(long)) {
    const cell = `${part.repeat(200_000 / part.length)}x`;
    const { preview, customers } = await imports(
      [
        'Kundennr;Name;Land;Telefon',
        `${reference}1;First;DE;030 901824`,
        `${reference};Long;DE;${cell}`,
        `${reference}2;Country;${cell};030 901821`,
        `Summe${cell};;;`,
      ].join('\n'),
    );
    assert.match(preview, /Telefon: “[^”]{1,60}” is not a valid phone number\. Line 3 /, reference);
    assert.deepEqual(customers[reference], ['Long'], reference);
    assert.equal(customers[`${reference}2`]?.[0], 'Country', reference);
  }
});

test('a list of a telephone and marked numbers are imported as what they are', async (t) => {
  const { imports } = await importing(t);
  const { preview, customers } = await imports(
    [
      'Display Name,Office Number,Mobile Number,Other Number,Line,Ring Tone,Auto Divert,Priority,group_id_name',
      'Anna Beispiel,030 901821,0171 3920000,030 901822 (Fax privat),-1,Auto,,0,All Contacts',
      'Otto Meier,201,0171 3920001,Assistentin: 030 901823,-1,Auto,,0,All Contacts',
      'Ida Leer,202,,030 901824,-1,Auto,,0,All Contacts',
      'Udo Leer,203,,030 901825,-1,Auto,,0,All Contacts',
    ].join('\n'),
  );
  assert.match(preview, /4 new, 0 changed, 0 unchanged/);
  assert.match(preview, /Other Number: “030 901822 Fax” is not a valid phone number/);
  assert.match(preview, /Other Number: “Assistant 030 901823” is not a valid phone number/);
  const numbersOf = (name: string) =>
    Object.values(customers)
      .find(([first]) => first === name)
      ?.slice(1);
  assert.deepEqual(numbersOf('Anna Beispiel'), ['+491713920000', '+4930901821']);
  assert.deepEqual(numbersOf('Otto Meier'), ['+491713920001', '201']);
});
