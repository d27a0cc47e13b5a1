import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rowsOf } from './cells.ts';
import { MAX_TABLE_LINES, readTable } from './table.ts';

/** A table as its header and its lines, cells separated by ¦, each with its number. */
function read(text: string) {
  const { header, above, rows } = readTable(text);
  return {
    header: header.join('¦'),
    above,
    lines: [...rows()].map(({ line, cells }) => `${line} ${cells.join('¦')}`),
  };
}

const tables: Record<string, readonly [text: string, header: string, ...lines: string[]]> = {
  'quotes behind backslashes': [
    String.raw`"id","name","phone"
"1","Gasthaus \"Krone\"","1"
"2","M\"S\", GmbH","2"
"3","C:\","3"
"4","C:\""D""","4"`,
    'id¦name¦phone',
    '2 1¦Gasthaus "Krone"¦1',
    '3 2¦M"S", GmbH¦2',
    String.raw`4 3¦C:\¦3`,
    String.raw`5 4¦C:\"D"¦4`,
  ],
  'the line that names the separator': [
    'sep=;\r\nKundennr;Name\r\n1;Müller, Jo\r\n',
    'Kundennr¦Name',
    '3 1¦Müller, Jo',
  ],
  'the same behind a byte order mark, with a tab': [
    '\ufeff"sep=\t"\nname\tnumbers\nA\t1',
    'name¦numbers',
    '3 A¦1',
  ],
  'separators in quotes': [
    '"Name, Vorname";Telefon\r\n"Muster, Eva";030',
    'Name, Vorname¦Telefon',
    '2 Muster, Eva¦030',
  ],
  'commas in a header': [
    'Firma (Name, Ort);Telefon\nA;030 1\nB;030 2',
    'Firma (Name, Ort)¦Telefon',
    '2 A¦030 1',
    '3 B¦030 2',
  ],
  'commas in all lines': [
    'Firma (Name, Ort);Telefon\nA (x, y);030',
    'Firma (Name, Ort)¦Telefon',
    '2 A (x, y)¦030',
  ],
  'numbers with | and ; in a table with commas': [
    'reference,name,numbers\n1,A,030 1|030 2\n2,B,030 3;030 4',
    'reference¦name¦numbers',
    '2 1¦A¦030 1|030 2',
    '3 2¦B¦030 3;030 4',
  ],
  'vertical bars': [
    'Kundennr|Name|Telefon\n7015|Pipe|030 9017012',
    'Kundennr¦Name¦Telefon',
    '2 7015¦Pipe¦030 9017012',
  ],
  'one column': ['Telefon\n030 1, 030 2\n030 3', 'Telefon', '2 030 1, 030 2', '3 030 3'],
  'quotes in names': [
    'id;name;x\n1;Gasthaus "Krone";a\n2;12" Rohre;b\n3;"Krone" Inn;c\n4;"Bar ""Eck""";d\n5;"open;e\n6;"a\nb";f\n7;g;h',
    'id¦name¦x',
    '2 1¦Gasthaus "Krone"¦a',
    '3 2¦12" Rohre¦b',
    '4 3¦"Krone" Inn¦c',
    '5 4¦Bar "Eck"¦d',
    '6 5¦"open¦e',
    '7 6¦a\nb¦f',
    '9 7¦g¦h',
  ],
  'quotes in cells that were copied': [
    'Name\tTelefon\nBar "Zum Anker"\t030 1\n"Zum Anker\t030 2\n"two\nlines"\t030 3',
    'Name¦Telefon',
    '2 Bar "Zum Anker"¦030 1',
    '3 "Zum Anker¦030 2',
    '4 two\nlines¦030 3',
  ],
  'lines in quotes, as a spreadsheet saves a table that it has opened as one column': [
    '"Kundennr;Name;Telefon"\r\n"1;""Alpha; Beta"";030 1"\r\n\r\n"2;Gamma;030 2"\r\n"3;""Delta;030 3"\r\n"4;E;030 4"\r\n',
    'Kundennr¦Name¦Telefon',
    '2 1¦Alpha; Beta¦030 1',
    '4 2¦Gamma¦030 2',
    '5 3¦"Delta¦030 3',
    '6 4¦E¦030 4',
  ],
  'single quotes, as some databases write them': [
    "'id','name','phone'\n'1','Muster, Eva','030 1'\n'2','O''Brien','030 2'\n'3','D\\'Angelo',NULL\n'4','a\nb','x'\n",
    'id¦name¦phone',
    '2 1¦Muster, Eva¦030 1',
    "3 2¦O'Brien¦030 2",
    "4 3¦D'Angelo¦NULL",
    '5 4¦a\nb¦x',
  ],
  'single quotes around texts alone': [
    "id;name;phone\n1;'Eva; Muster';'030 1'\n2;'Ben';'030 2'\n",
    'id¦name¦phone',
    '2 1¦Eva; Muster¦030 1',
    '3 2¦Ben¦030 2',
  ],
  apostrophes: [
    "id;name;phone\n'07;'t Hooft;'+49 30 1\n'08;Rock 'n' Roll;'030 2\n9;'Krone';030 3\n",
    'id¦name¦phone',
    "2 '07¦'t Hooft¦'+49 30 1",
    "3 '08¦Rock 'n' Roll¦'030 2",
    "4 9¦'Krone'¦030 3",
  ],
  'NULL of a database': [
    'id\tname\tphone\n1\t\\N\t030 1\n\\N\tA\t"\\N"',
    'id¦name¦phone',
    '2 1¦¦030 1',
    '3 ¦A¦',
  ],
  'one column in quotes': ['"Telefon"\n"030 1"\n', 'Telefon', '2 030 1'],
  'empty lines, and carriage returns alone': ['a;name\r;\r\r1;A\r', 'a¦name', '4 1¦A'],
};

for (const [name, [text, header, ...lines]] of Object.entries(tables))
  test(`table: ${name}`, () => assert.deepEqual(read(text), { header, above: 0, lines }));

test('table: titles above the header are skipped, and counted', () => {
  for (const titles of [
    'Kunden\n\nStand 27.11.2026\n',
    'Kunden;;\nStand;27.11.2026;\n',
    'Liste der Firma;;\n;von;Tom\n',
    'Kunden;Stand;Export\n;November;\n',
  ])
    assert.deepEqual(
      { ...read(`${titles}Kundennr;Name;Telefon\n1;A;030 901820`), lines: 1 },
      { header: 'Kundennr¦Name¦Telefon', above: 2, lines: 1 },
      titles,
    );
});

test('table: the first person of a table without a header is no header', () => {
  for (const text of [
    '1001;Müller;030 901820\n1002;Meier;\n',
    '1001;Müller;\n1002;Meier;030 901820\n',
    'Ann,030 901820',
    'Anna Weber;unbekannt;VIP\nBen Fox;030 901820;VIP\nCara;030 901821;Gast\n',
    'Anna Weber;n/a;Berlin\nBen Fox;030 901820;Bonn\n',
    'Anna Weber;;Berlin\nBen Fox;030 901820;Bonn\n',
    'Anna Weber;ruft an;VIP\nBen Fox;030 901820;VIP\n',
    'Phone Shop;;VIP\nBen Fox;030 901820;VIP\n',
  ])
    assert.deepEqual(read(text).header.replaceAll('¦', ''), '', text);
  assert.deepEqual(read('Müller;030 901820\nFirma Mobil;0171 3920000').lines.length, 2);
});

test('table: a first line with a number, whatever is written beside it, is no header', () => {
  for (const text of [
    '1001;Anna Schmidt;Tel. 030 620741\n1002;Bernd Meier;Tel. 030 620742\n1003;Carla Weiss;Tel. 030 620743',
    'Anna Schmidt;mobil 0171/3920000\nBernd Meier;mobil 0171/3920001',
    'Anna Schmidt;tel:+4930901820\nBernd Meier;tel:+4930901821',
    'Anna;Tel: 030/901820;Mobil: 0171 3920000\nBernd;Tel: 030/901821;Mobil: 0171 3920001',
    'Anna Schmidt;Herr Meier 030 901820\nBernd Meier;Frau Ott 030 901821',
    'Anna Schmidt;Mobil 0171 3920000',
    'Telefon Meier GmbH;Berlin;\nOtt KG;Hamburg;040 901820\nWeiß AG;Bremen;0421 901820',
    'Telefonladen Kreuzberg;Oranienstr. 1;\nOtt KG;Ring 2;040 901820\nWeiß AG;Ring 3;0421 901820',
  ]) {
    const { header, sample } = readTable(text);
    assert.deepEqual([header.some(Boolean), sample.length], [false, text.split('\n').length], text);
  }
  // A title may have dates and years.
  for (const title of ['Telefonliste 27.11.2026', 'Kunden 2024/2025', 'Stand: 01.11.2026 08:00'])
    assert.deepEqual(readTable(`${title}\nKundennr;Name;Telefon\n1;Ann;030 901820`).header, [
      'Kundennr',
      'Name',
      'Telefon',
    ]);
});

test('table: the first customer below a header is not the header, whatever words it has', () => {
  for (const header of ['Nume;Oraș;Telefon', 'Kundennr;Ort;Telefon', 'Foo;Bar;Telefon'])
    for (const first of ['Phone House;Mobile Land;', 'Phone House;Mobile Land;Home', 'Handy Home;;unbekannt'])
      assert.deepEqual(
        read(`${header}\n${first}\nBeta;Cluj;030 901820\n`).lines,
        [`2 ${first.replaceAll(';', '¦')}`, '3 Beta¦Cluj¦030 901820'],
        `${header} ${first}`,
      );
  assert.equal(read('Foo;Bar\nAnna;030 901820\nBen;030 901821\n').header, 'Foo¦Bar');
});

test('table: a header that surely names columns is one, also if it has `No.`, or a word that stands in a column', () => {
  for (const [header, ...lines] of [
    ['No.;Name;Phone No.;Fax No.', 'D1;Ott Ltd;020 7946 0958;020 7946 0100', 'D2;Fox Ltd;020 7946 0959;'],
    ['No;Name;Mobile', '1001;Ott Ltd;020 7946 0958', '1002;Fox Ltd;07911 123456'],
    ['No;Nom;Prénom;Téléphone', '1;Dupont;Marie;044 668 18 01', '2;Vert;Luc;044 668 18 02'],
    ['Name;Phone;No.', 'Ott Ltd;020 7946 0958;1001'],
    ['Nr;Name;Telefon;Telefax;Abholer', '1;Ott;030 901820;030 901829;Abholer', '2;Fox;030 901821;;'],
    ['Code client;Nom;Téléphone;Newsletter', 'C1;Ott;01 42 68 00 00;Newsletter', 'C2;Fox;01 42 68 00 01;'],
  ] as const)
    assert.deepEqual(read([header, ...lines].join('\n')).header, header.replaceAll(';', '¦'));
});

test('table: it says whether a header has words that it knows', () => {
  assert.equal(readTable('Telefon Meier GmbH,Berlin\nOtt KG,Bonn').isHeaderUnknown, true);
  assert.ok(readTable('Anna Weber;ruft an;Bonn\nBen;030 901820;Potsdam\n').isHeaderUnknown);
  assert.ok(!readTable('Name;Ort\nBen;Potsdam\n').isHeaderUnknown);
  assert.ok(!readTable('1;Ben;030 901820\n').isHeaderUnknown);
});

test('who reads very many blank lines, or one very wide line, gets something to stop at', () => {
  const blank = '\n,,\n \n'.repeat(2_000);
  const table = readTable(`${blank}reference,name,numbers\n${blank}1,Ann,110\n${blank}`);
  assert.deepEqual(table.header, ['reference', 'name', 'numbers']);
  assert.deepEqual(table.sample, [['1', 'Ann', '110']]);
  const rows = [...table.rows()];
  assert.equal(rows.filter(({ cells }) => cells.length === 0).length, 18, 'one of a thousand lines');
  const filled = rows.filter(({ cells }) => cells.length > 0);
  assert.deepEqual(filled, [{ line: 12_002, cells: ['1', 'Ann', '110'] }]);

  const [wide, next] = [...readTable(`a,b\n${'x,'.repeat(50_000)}\n1,2\n`).rows()].filter(
    ({ cells }) => cells.length > 0,
  );
  assert.equal(wide?.cells.length, 10_001);
  assert.deepEqual(next, { line: 3, cells: ['1', '2'] });
});

test('of a cell that is longer than any field, only the beginning is given, and something to stop at on the way', () => {
  const long = 'x'.repeat(1_000_000);
  const quoted = `"${'a""'.repeat(2_000)}"`;
  const rows = [...readTable(`a,b,c\n${long},${quoted},1\n${' '.repeat(1_000_000)}y,2,3\n`).rows()];
  assert.deepEqual(
    rows.filter(({ cells }) => cells.length > 0).map(({ line, cells }) => [line, ...cells]),
    [
      [2, `${'x'.repeat(4_096)}…`, 'a"'.repeat(2_000), '1'],
      [3, 'y', '2', '3'],
    ],
  );
  assert.ok(rows.length > 30, `${rows.length} rows`);
});

test('a row whose cells in quotes have very many lines ends', () => {
  const [row] = rowsOf(`"${'\n'.repeat(60_000)}x",`.repeat(10), ',');
  assert.deepEqual([row?.written?.length, row?.cells.length], [300_001, 6]);
});

test('cells of many @ and dots are read in one pass: from each of them, a table would take minutes', () => {
  const cell = `${'@.'.repeat(248)} x`;
  const { above, lines } = read(';;;;;q\n'.repeat(11) + `${`${cell};`.repeat(5)}q\n`.repeat(89));
  assert.deepEqual([above + lines.length, lines.at(-1)], [100, `100 ${`${cell}¦`.repeat(5)}q`]);
});

test('any character that is no quote can separate cells', () => {
  for (const delimiter of ['\t', ' ', ';', '|', ',', '\0', '\\', ']', '^', '-', '/', 'r'])
    assert.deepEqual([...rowsOf(`on${delimiter}two\n`, delimiter)], [{ line: 1, cells: ['on', 'two'] }]);
});

test('a separator that is a quotation mark, an escape or a letter is none', () => {
  for (const separator of ['\\', '"', "'", ']', '^', 'a'])
    assert.notDeepEqual(
      readTable(`sep=${separator}\nname${separator}numbers\n1${separator}2\n`).header,
      ['name', 'numbers'],
      separator,
    );
});

test('a table of very many columns is refused before its cells are looked at', (t) => {
  const line = (columns: number) => `${Array(columns).fill('é').join()}\n`;
  const looks = t.mock.method(RegExp.prototype, 'test');
  assert.throws(() => readTable(line(5_000).repeat(30)), { message: /^The table has 5000 columns/ });
  assert.ok(looks.mock.callCount() < 1_000, `${looks.mock.callCount()} looks`);

  const among = `${line(400).repeat(60)}${line(5_000).repeat(20)}`;
  assert.equal(readTable(among).header.length, 400);
  assert.throws(() => readTable(`Name,Telefon${line(1_000)}${'Ann,1\n'.repeat(90)}`), {
    message: /^The table has 1001 columns/,
  });
});

test('columns are counted as they are read: commas in single quotes begin none', () => {
  const row = (cell: string) => `${Array(300).fill(cell).join(',')}\n`;
  const text = row("'Name, first'") + row("'1'").repeat(20);
  assert.equal(readTable(text).header.length, 300);
});

test('a table with too many lines is refused as soon as that is known', () => {
  const rows = (lines: number) =>
    readTable(`reference,name\n${'1,a\n'.repeat(lines)}`, MAX_TABLE_LINES).rows();
  let read = 0;
  assert.throws(
    () => {
      for (const _ of rows(1_100_000)) read += 1;
    },
    { message: /^The table has more than a million lines/, statusCode: 422 },
  );
  assert.equal(read, 999_999);
  assert.equal([...rows(999_999)].length, 999_999);
});

test('table: the sample is from everywhere, and none of it from the middle of a row', () => {
  for (const lines of [1_000, 20_000, 60_000]) {
    const note = (n: number) => (n % 5 === 0 ? `"a note;with\n${n};030 901820;Ann\nand more"` : 'none');
    const rows = Array.from({ length: lines }, (_, n) => `${n};Name ${n};${note(n)};030 ${100_000 + n}`);
    const { sample } = readTable(`Nr;Name;Text;Telefon\n${rows.join('\n')}\n`);
    assert.ok(sample.length > 100 && sample.length <= 200, `${sample.length} of ${lines}`);
    assert.equal(sample[0]?.[0], '0');
    for (const [key = '', name, , telephone] of sample)
      assert.deepEqual([name, telephone], [`Name ${key}`, `030 ${100_000 + Number(key)}`]);
    for (const part of [0, 1, 2, 3])
      assert.ok(
        sample.filter(([key]) => Math.floor((Number(key) * 4) / lines) === part).length > 30,
        `a quarter of ${lines}`,
      );
  }
});
