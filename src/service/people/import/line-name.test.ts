import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameColumn, nameOfLine } from './line-name.ts';

/** The name of a line; the columns in brackets are spare. */
function named(header: string, line: string): string {
  const cells = line.split(';');
  const columns = header
    .split(';')
    .map((cell, index) => nameColumn(cell.replace(/^\((.*)\)$/, '$1'), index, cell.startsWith('(')));
  const textOf = (index: number) => cells[index] ?? '';
  return nameOfLine(columns)(textOf).map(textOf).join(' ');
}

test('a name begins with the first name, wherever the table has it', () => {
  const ordered = (header: string) =>
    named(header, header.replaceAll(' ', '_')).replaceAll(' ', ';').replaceAll('_', ' ');
  assert.equal(ordered('Nachname;Vorname'), 'Vorname;Nachname');
  assert.equal(ordered('Firma;Achternaam;Tussenvoegsel;Voornaam'), 'Firma;Voornaam;Tussenvoegsel;Achternaam');
  assert.equal(ordered('Nom;Prénom;Société'), 'Prénom;Nom;Société');
  assert.equal(ordered('Name;Firma'), 'Name;Firma');
  assert.equal(ordered('Cognome;Nome;Ditta'), 'Nome;Cognome;Ditta');
  assert.equal(ordered('Apellidos;Nombre'), 'Nombre;Apellidos');
  assert.equal(ordered('Apelido;Segundo nome;Primeiro nome'), 'Primeiro nome;Segundo nome;Apelido');
});

const lines: readonly (readonly [header: string, line: string, name: string])[] = [
  ['Nombre;Apellidos;Nombre completo', 'Ana;García;Ana García', 'Ana García'],
  ['Nombre;Apellidos;Nombre y apellidos', 'Ana;García;García, Ana', 'Ana García'],
  ['Nombre;Apellidos;Nombre comercial', 'Luis;Pérez;Pérez Motor', 'Luis Pérez Pérez Motor'],
  ['Nombre comercial;Nombre;Apellidos', 'Bar García;Ana;García', 'Bar García Ana García'],
  ['Nom;Prénom;Nom complet', 'Dupont;Marie;Marie Dupont', 'Marie Dupont'],
  ['Nom complet;Nom;Prénom', 'Marie Dupont;Dupont;Marie', 'Marie Dupont'],
  ['Nom;Prénom;Nom complet', 'Dupont SARL;;Dupont SARL', 'Dupont SARL'],
  ['Name;Vorname;Kontaktname', 'Berg;Anna;Anna Berg', 'Anna Berg'],
  ['Nome;Cognome;Nominativo', 'Anna;Rossi;Rossi Anna', 'Anna Rossi'],
  ['Naam;Voornaam;Volledige naam', 'Jansen;An;An Jansen', 'An Jansen'],
  ['Nome;Sobrenome;Nome completo', 'Ana;Silva;Ana Silva', 'Ana Silva'],
  ['Name;Surname;Full Name', 'Anna;Smith;Anna Smith', 'Anna Smith'],
  ['Name;Surname;Full Name', ';Smith;A. Smith', 'A. Smith'],
  ['Naam;Voorvoegsel;Achternaam', 'Vries, J. de;de;Vries', 'Vries, J. de'],
  ['*ContactName;FirstName;LastName', 'Smith Plumbing;Anna;Smith', 'Smith Plumbing Anna Smith'],
  ['*ContactName;FirstName;LastName', 'Smith, Anna;Anna;Smith', 'Anna Smith'],
  ['*ContactName;FirstName;LastName', 'A. Smith;Anna;Smith', 'Anna Smith'],
  ['*ContactName;FirstName;LastName', 'Anna Smith Ltd;Anna;Smith', 'Anna Smith Ltd'],
  ['*ContactName;FirstName;LastName', 'Smith Autos;A.;Smith', 'Smith Autos A. Smith'],
  ['First Name;Last Name;Business Name', 'John;Brown;Brown & Sons', 'John Brown Brown & Sons'],
  [
    'Contact Name;First Name;Last Name;Customer Name',
    'Anna Smith;Anna;Smith;Smith & Sons Ltd',
    'Anna Smith Smith & Sons Ltd',
  ],
  [
    'Nom de famille;Prénom;Nom commercial',
    'Dupont;Marie;Boulangerie Dupont',
    'Marie Dupont Boulangerie Dupont',
  ],
  ['Vorname;Nachname;Firma', 'Max;Berg;Max Berg', 'Max Berg'],
  ['Vorname;Nachname;Firma', 'Max;Berg;Berg GmbH', 'Max Berg Berg GmbH'],
  ['Vorname;Nachname', 'Martin;Martin', 'Martin Martin'],
  ['Vorname;Name', 'Paul;Paul', 'Paul Paul'],
  ['Nombre;Apellidos;Nombre completo', ';Bar García;Bar García', 'Bar García'],
  ['first_name;last_name;billing_first_name;billing_last_name', 'Anna;Berg;Anna;Berg', 'Anna Berg'],
  ['Company;(Contact)', 'Smith Ltd;Anna Smith', 'Smith Ltd'],
  ['Company;(Contact)', ';John Brown', 'John Brown'],
  ['Ragione sociale;(Referente)', ';Luca Bianchi', 'Luca Bianchi'],
  ['Vorname;Nachname;(Display Name)', 'Anna;Berg;Anni', 'Anna Berg'],
  ['Vorname;Nachname;(Display Name)', ';;Pforte', 'Pforte'],
  ['Vorname;Nachname;(Name)', 'Anna;;Anna Berg', 'Anna Berg'],
  ['Vorname;Nachname;(Name)', 'Anna;Berg;Anna Berg', 'Anna Berg'],
  ['Vorname;Nachname;(Name)', ';;Pforte', 'Pforte'],
  ['Vorname;Nachname;(Kunde)', ';;Huber KG', 'Huber KG'],
  ['Vorname;Nachname;(Kunde)', ';;10001', ''],
  ["(Nom de naissance);Nom d'usage;Prénom", 'Dupont;Martin;Marie', 'Marie Martin'],
  ["(Nom de naissance);Nom d'usage;Prénom", 'Vert;;Luc', 'Luc Vert'],
  ['Co./Last Name;First Name', 'Smith;Anna', 'Anna Smith'],
  ['Firma;Nachname', '0;Berg', 'Berg'],
  ['(Nombre fiscal);Nombre comercial;(Persona de contacto)', 'Beta SL;;Ana', 'Beta SL'],
  ['(Persona de contacto);(Nombre fiscal);Nombre comercial', 'Ana;Beta SL;', 'Beta SL'],
  ['(Nombre fiscal);Nombre comercial;(Persona de contacto)', ';;Ana', 'Ana'],
  ['Firma;(Kunde);(Nom de naissance)', ';Huber KG;Vert', 'Huber KG'],
  ['Name;Company', 'Ann Lee;False', 'Ann Lee'],
  ['Firma;Nachname', '0;', '0'],
];

for (const [header, line, name] of lines)
  test(`name of ${header}: ${line}`, () => assert.equal(named(header, line), name));
