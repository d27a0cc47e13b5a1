import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refusal } from '../../kit/refusal.ts';
import { decodedText, UnknownEncoding } from './decode-text.ts';
import { encoder } from './encoded.fixture.ts';

const table = (names: string) =>
  `Nr;Name;Telefon\r\n${names
    .split(/\s*\|\s*/)
    .map((name, n) => `${n};${name};030 9018${n}\r\n`)
    .join('')}`;

const foreign: readonly [encoding: string, names: string][] = [
  ['windows-1250', 'Łukasz Nowak|Paweł Wiśniewski|Zażółć Gęślą'],
  ['windows-1250', 'Łukasz'],
  ['windows-1250', 'Jana Kučerová|Eva Dvořáková|Jan Novák|Petr Němec|Olga Růžičková'],
  ['windows-1250', 'Ana Petrović|Ivan Kovačić|Marko Horvat'],
  ['windows-1250', 'Erdős Péter|Szőke Gábor|Kovács János'],
  ['windows-1250', 'Constanţa Pop|Mureşan Ana|Brăila'],
  ['windows-1254', 'Ayşe Yılmaz|Güneş Ltd. Şti.|Mehmet Öztürk|Barış Aydın'],
  ['windows-1257', 'Jānis Bērziņš|Mārtiņš'],
  ['windows-1251', 'Иван Петров|Ольга Сидорова'],
  ['windows-1253', 'Γιώργος Παπαδόπουλος'],
  ['windows-1255', 'דוד כהן'],
  ['windows-1256', 'محمد علي'],
  ['koi8-r', 'Иван Петров'],
  ['ibm866', 'Иван Петров'],
  ['iso-8859-2', 'Łukasz Nowak|Paweł Wiśniewski'],
  ['iso-8859-5', 'Иван Петров'],
  ['macintosh', 'Jana Müller|Hauptstraße 7|Jörg Jäger'],
  ['macintosh', 'Köhler'],
  ['macintosh', 'René Lefèvre|François Noël'],
  ['macintosh', 'José Sánchez|Íñigo Muñoz|Ana López'],
  ['shift_jis', '山田太郎|鈴木一郎|田中商店|カトウ'],
  ['euc-jp', '山田太郎|鈴木一郎'],
  ['gbk', '张三|李四|王小明'],
  ['big5', '張三|李四|王小明'],
  ['euc-kr', '김철수|이영희'],
];

for (const [encoding, names] of foreign)
  test(`encoding: ${encoding} is refused, not read as another: ${names}`, () =>
    assert.throws(() => decodedText(encoder(encoding)(table(names))), UnknownEncoding));

const others: readonly [format: string, beginning: string][] = [
  ['Excel, ODS or ZIP', 'PK\x03\x04\x14\0\x06\0'],
  ['Excel 97', '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'],
  ['PDF', '%PDF-1.7\n%\xe2\xe3'],
  ['vCard', 'BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Anna Weber\r\n'],
  ['HTML', '\r\n<table border=1><tr><td>Name</td></tr></table>'],
  ['XML', '\xef\xbb\xbf<?xml version="1.0"?><Workbook/>'],
];
for (const [format, beginning] of others)
  test(`a file of the format ${format} is refused by its name`, () => {
    const isNamed = (error: unknown) => error instanceof Refusal && error.message.includes(` ${format},`);
    for (const charset of [undefined, 'utf-8'])
      assert.throws(() => decodedText(Buffer.from(beginning, 'latin1'), charset), isNamed);
  });

test('encoding: the umlauts of DOS are refused', () =>
  assert.throws(
    () => decodedText(Buffer.from(table('Jana M\x81ller|J\x84ger|K\x94ln'), 'latin1')),
    UnknownEncoding,
  ));

test('encoding: Windows-1252 of western Europe is read', () => {
  for (const names of [
    'Jana Müller|Weiß & Söhne GmbH|ÄRZTEHAUS KÖLN|Größe „Krone“|Müller–Meier|Straße 7 – Hof|Café „Öl“',
    'René Lefèvre|François Noël|L’Œuvre|Cœur d’Été|Aÿ-Champagne|L’HAŸ-LES-ROSES|N°\xa07|Créée «Été»|Citroën',
    'José Núñez|Mª José Peña|¿Qué?|Íñigo Ibáñez|1º Dcha.|Gal·la Pagès',
    'Søren Kjær|Åse Ødegård|Bjørnæs|Håkan Sjöström|Þórður Guðmundsson|Sæþór Ýmir|João Conceição|IRMÃOS SÃO JOSÉ',
    'Šimec d.o.o.|Dušan Žagar|Éva|Nicolò Città|Perché|D´Angelo|Zoë van ’t Hoff|€ 5|5 £|© Foto|Kern®|H²O Wellness',
    'Anna Weber|Müller',
    'Þorsteinn Ægisson|Ísey Dýrfjörð|Ýr Þráinsdóttir|Sæþór|Guðrún Hjördís Þórðardóttir|Ýmir Þjóðólfsson|Ýda',
    'João Simões|Irmãos Guimarães|LEÕES|Conceição|Gökçe Çelik|Llorenç Muñoz|Françoise Lagüera',
    'Miško Košir|Štefan Škoda|Dušan Hašek|Rožman',
    'Ren\xe9',
  ])
    assert.equal(decodedText(encoder('windows-1252')(table(names))), table(names));
});

test('encoding: UTF-8 with some invalid bytes stays UTF-8', () => {
  const damaged = Buffer.concat([
    Buffer.from(table('Müller|Weiß|Łukasz')),
    Buffer.from('4;J\xe4ger;030 90184\r\n5;Anna;030 90185\r\n', 'latin1'),
  ]);
  assert.equal(
    decodedText(damaged),
    `${table('Müller|Weiß|Łukasz')}4;J\ufffdger;030 90184\r\n5;Anna;030 90185\r\n`,
  );
  const mostlyWestern = Buffer.concat([
    Buffer.from(table(Array.from({ length: 30 }, () => 'Müller').join('|')), 'latin1'),
    Buffer.from('99;Jörg Müller;030 90199\r\n'),
  ]);
  assert.throws(() => decodedText(mostlyWestern), UnknownEncoding);
});

test('encoding: UTF-16 without a byte order mark', () => {
  const text = table('Müller|Иван');
  assert.equal(decodedText(Buffer.from(text, 'utf16le')), text);
  assert.equal(decodedText(Buffer.from(text, 'utf16le').swap16()), text);
});
