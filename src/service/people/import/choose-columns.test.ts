import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseColumns, leftOutTelephones } from './choose-columns.ts';
import { readTable } from './table.ts';

/** `Telefon: numbers, Name: name` of a table, in a country. */
function chosen(text: string, country: string | null = 'DE'): Record<string, string> {
  const { header, sample } = readTable(text);
  const mapping = chooseColumns(header, sample, country);
  return Object.fromEntries(
    header
      .map((cell, index) => [cell || `${index + 1}`, mapping[index] ?? ''])
      .filter(([, field]) => field !== '' && field !== 'spare-name'),
  );
}

const lines = (...some: string[]) => some.join('\r\n');

/** What programs and spreadsheets export: which of its columns are what. */
const exports: Record<string, readonly [table: string, columns: Record<string, string>, country?: string]> = {
  'Google Contacts': [
    lines(
      'First Name,Middle Name,Last Name,Phonetic First Name,Phonetic Middle Name,Phonetic Last Name,Name Prefix,Name Suffix,Nickname,File As,Organization Name,Organization Title,Organization Department,Birthday,Notes,Photo,Labels,E-mail 1 - Label,E-mail 1 - Value,Phone 1 - Label,Phone 1 - Value,Phone 2 - Label,Phone 2 - Value,Address 1 - Label,Address 1 - Formatted,Website 1 - Value',
      'Anna,,Beispiel,,,,Dr.,,,,Muster GmbH,Head of Sales,Sales,,,,* myContacts,* Work,a@example.com,Work,+49 30 901820 ::: +49 30 901821,Mobile,0171 3920000,Home,"Hauptstr. 12',
      '10115 Berlin",https://example.com',
      'Otto,,Meier,,,,,,,,,,,,,,* myContacts,,,Mobile,0171 3920001,,,,,',
    ),
    {
      'First Name': 'name',
      'Middle Name': 'name',
      'Last Name': 'name',
      'Organization Name': 'name',
      'Phone 1 - Value': 'numbers',
      'Phone 2 - Value': 'numbers',
    },
  ],
  '3CX phonebook': [
    lines(
      'FirstName,LastName,Company,Mobile,Mobile2,Home,Home2,Business,Business2,Email,Other,BusinessFax,HomeFax,Pager',
      'Anna,Beispiel,Muster GmbH,0171 3920000,,030 901820,,030 901821,030 901822,a@example.com,,030 901829,,',
      'Otto,Meier,,,,,,040 66969100,,,,,,',
    ),
    {
      FirstName: 'name',
      LastName: 'name',
      Company: 'name',
      Mobile: 'numbers',
      Mobile2: 'numbers',
      Home: 'numbers',
      Home2: 'numbers',
      Business: 'numbers',
      Business2: 'numbers',
      Other: 'numbers',
    },
  ],
  'Arabic headers and digits': [
    lines('الرقم,الاسم,الهاتف', '1,أحمد,٠١١٢٣٤٥٦٧٨', '2,علي,٠١١٢٣٤٥٦٧٩', '3,سعيد,٠١١٢٣٤٥٦٧٠'),
    { الرقم: 'reference', الاسم: 'name', الهاتف: 'numbers' },
    'SA',
  ],
  'Japanese headers and full-width digits': [
    lines('顧客番号,氏名,電話番号', '１,山田,０３－１２３４－５６７８', '２,鈴木,０３－１２３４－５６７９'),
    { 顧客番号: 'reference', 氏名: 'name', 電話番号: 'numbers' },
    'JP',
  ],
  'Hindi headers and digits': [
    lines('क्रमांक,नाम,फ़ोन', '१,आशा,०९८७६५ ४३२१०', '२,रवि,०९८७६५ ४३२११'),
    { क्रमांक: 'reference', नाम: 'name', फ़ोन: 'numbers' },
    'IN',
  ],
  'Thai digits without a header': [
    lines('สมชาย,๐๒-๑๒๓-๔๕๖๗', 'สมหญิง,๐๒-๑๒๓-๔๕๖๘'),
    { 1: 'name', 2: 'numbers' },
    'TH',
  ],
  'a word for a place without telephones': [
    lines('Nr;Name;Telefon;Work;Privat', '1;Anna;030 901820;4711;ja', '2;Otto;030 901821;4712;nein'),
    { Nr: 'reference', Name: 'name', Telefon: 'numbers' },
  ],
  'Google Contacts before 2023': [
    lines(
      'Name,Given Name,Additional Name,Family Name,Yomi Name,Given Name Yomi,Name Prefix,Initials,Nickname,Short Name,Maiden Name,Birthday,Gender,Location,Occupation,Group Membership,E-mail 1 - Type,E-mail 1 - Value,Phone 1 - Type,Phone 1 - Value,Organization 1 - Type,Organization 1 - Name,Organization 1 - Yomi Name,Organization 1 - Title',
      'Anna Beispiel,Anna,,Beispiel,,,,,,,,,,,,* myContacts,*,a@example.com,Mobile,+49 171 3920000,,Muster GmbH,,Boss',
      'Otto Meier,Otto,,Meier,,,,,,,,,,,,* myContacts,,,Work,030 901820,,,,',
    ),
    {
      'Given Name': 'name',
      'Additional Name': 'name',
      'Family Name': 'name',
      'Phone 1 - Value': 'numbers',
      'Organization 1 - Name': 'name',
    },
  ],
  Outlook: [
    lines(
      "Title,First Name,Middle Name,Last Name,Suffix,Company,Department,Job Title,Business Street,Business City,Business Postal Code,Assistant's Phone,Business Fax,Business Phone,Business Phone 2,Callback,Car Phone,Company Main Phone,Home Fax,Home Phone,ISDN,Mobile Phone,Other Phone,Pager,Primary Phone,Telex,Account,Anniversary,\"Assistant's Name\",Birthday,Categories,E-mail Address,E-mail Display Name,Gender,Government ID Number,Initials,Manager's Name,Organizational ID Number,Spouse,User 1,Web Page",
      'Ms,Eva,,Muster,,Muster GmbH,Sales,Head,Hauptstr. 1,Berlin,10115,030 901899,030 901898,030 901820,,,,030 901800,,,,0171 3920000,,,,,,0/0/00,Otto Helfer,0/0/00,Customer;VIP,eva@example.com,Eva Muster (eva@example.com),Unspecified,4711,E.M.,Max Chef,123456789,Udo,,',
    ),
    {
      'First Name': 'name',
      'Middle Name': 'name',
      'Last Name': 'name',
      Company: 'name',
      'Business Phone': 'numbers',
      'Business Phone 2': 'numbers',
      'Car Phone': 'numbers',
      'Company Main Phone': 'numbers',
      'Home Phone': 'numbers',
      'Mobile Phone': 'numbers',
      'Other Phone': 'numbers',
      'Primary Phone': 'numbers',
    },
  ],
  'Outlook in German': [
    lines(
      '"Anrede","Vorname","Weitere Vornamen","Nachname","Suffix","Firma","Abteilung","Position","Straße geschäftlich","Ort geschäftlich","Fax geschäftlich","Telefon Assistent","Telefon geschäftlich","Telefon privat","Mobiltelefon","Autotelefon","Telefon Firma","Haupttelefon","Weiteres Telefon","Weiteres Fax","Pager","E-Mail-Adresse","E-Mail: Angezeigter Name","Name Assistent","Geburtstag","Regierungs-Nr.","Organisations-Nr."',
      '"Frau","Eva","","Muster","","Muster GmbH","","","Hauptstr. 1","Berlin","030 901898","030 901899","030 901820","","0171 3920000","","","","","","","eva@example.com","Eva Muster (eva@example.com)","Otto Helfer","0.0.00","","12345678"',
    ),
    {
      Vorname: 'name',
      'Weitere Vornamen': 'name',
      Nachname: 'name',
      Firma: 'name',
      'Telefon geschäftlich': 'numbers',
      'Telefon privat': 'numbers',
      Mobiltelefon: 'numbers',
      Autotelefon: 'numbers',
      'Telefon Firma': 'numbers',
      Haupttelefon: 'numbers',
      'Weiteres Telefon': 'numbers',
    },
  ],
  'Outlook in French': [
    lines(
      '"Titre","Prénom","Deuxième prénom","Nom","Suffixe","Société","Service","Rue (bureau)","Télécopie (bureau)","Téléphone de l\'assistant(e)","Téléphone (bureau)","Téléphone (domicile)","Tél. mobile","Téléphone société","Récepteur de radiomessagerie","Nom de l\'assistant(e)","Nom du responsable","Adresse de messagerie"',
      '"M.","Jean","","Dupont","","Dupont SARL","","1 rue X","01 23 45 67 00","01 23 45 67 99","01 23 45 67 89","","06 12 34 56 78","","","Luc","Max","j@example.com"',
    ),
    {
      Prénom: 'name',
      'Deuxième prénom': 'name',
      Nom: 'name',
      Société: 'name',
      'Téléphone (bureau)': 'numbers',
      'Téléphone (domicile)': 'numbers',
      'Tél. mobile': 'numbers',
      'Téléphone société': 'numbers',
    },
    'FR',
  ],
  HubSpot: [
    lines(
      'Record ID,First Name,Last Name,Email,Phone Number,Mobile Phone Number,Fax Number,Contact owner,Lead Status,Number of Form Submissions,Number of Associated Deals,Last Activity Date,Create Date,Associated Company,Associated Company IDs',
      '51,Eva,Muster,eva@example.com,+49 30 901820,,,Otto,New,3,0,2026-11-02 10:00,2026-10-01 09:00,Muster GmbH,9001',
      '52,Ida,Leer,ida@example.com,,,,Otto,New,0,1,,2026-10-02 09:00,,',
    ),
    {
      'Record ID': 'reference',
      'First Name': 'name',
      'Last Name': 'name',
      'Associated Company': 'name',
      'Phone Number': 'numbers',
      'Mobile Phone Number': 'numbers',
    },
  ],
  DATEV: [
    lines(
      '"EXTF";700;16;"Debitoren/Kreditoren";5;20261127100000000;;"RE";"";"";29098;55003;20260101;4;;;"";"";;0;;"";;"";;;"03"',
      'Konto;Name (Adressattyp Unternehmen);Unternehmensgegenstand;Name (Adressattyp natürl. Person);Vorname (Adressattyp natürl. Person);Kurzbezeichnung;EU-Land;EU-UStID;Anrede;Straße;Postleitzahl;Ort;Telefon;Bemerkung (Telefon);Telefon GL;E-Mail;Fax;Bemerkung (Fax);Bankleitzahl 1;Bankkonto-Nummer 1;IBAN-Nr. 1',
      '10001;"Alpha GmbH";"Handel";"";"";"Alpha";"DE";"123456789";"";"Hauptstr. 12";"10115";"Berlin";"030 901820";"Zentrale";"";"a@example.com";"030 901899";"";"10010010";"1234567890";"DE02100100100006820101"',
      '10002;"";"";"Weiß";"Jana";"Weiß J.";"";"";"Frau";"Ringstr. 7a";"20095";"Hamburg";"040 66969199";"";"";"";"";"";"";"";""',
    ),
    {
      Konto: 'reference',
      'Name (Adressattyp Unternehmen)': 'name',
      'Name (Adressattyp natürl. Person)': 'name',
      'Vorname (Adressattyp natürl. Person)': 'name',
      Telefon: 'numbers',
      'Telefon GL': 'numbers',
      'EU-Land': 'country',
    },
  ],
  'DATEV, a list of debtors': [
    lines(
      'Debitorenkonto;Kurzbezeichnung;Telefon;PLZ',
      '10001;Alpha GmbH;030 901820;10115',
      '10002;Beta KG;;20095',
    ),
    { Debitorenkonto: 'reference', Kurzbezeichnung: 'name', Telefon: 'numbers' },
  ],
  Lexware: [
    lines(
      'Kunden-Nr.;Anrede;Firma;Name;Vorname;Zusatz;Ansprechpartner;Straße;Hausnummer;PLZ;Ort;Land;Telefon1;Telefon2;Telefax;Mobil;E-Mail;USt-IdNr.;Steuernummer;Kontonummer;Bankleitzahl;IBAN;Rabatt',
      '10001;Firma;Alpha GmbH;;;;Frau Weiß;Hauptstr.;12;10115;Berlin;DE;030 901820;;030 901899;0171 3920000;a@example.com;DE123456789;27/123/45678;1234567890;10010010;;0,00',
      '10002;Frau;;Weiß;Jana;;;Ringstr.;7a;20095;Hamburg;DE;040 66969199;;;;;;;;;;0,00',
    ),
    {
      'Kunden-Nr.': 'reference',
      Firma: 'name',
      Name: 'name',
      Vorname: 'name',
      Telefon1: 'numbers',
      Telefon2: 'numbers',
      Mobil: 'numbers',
      Land: 'country',
    },
  ],
  sevDesk: [
    lines(
      'Kunden-Nr.;Anrede;Titel;Nachname;Vorname;Organisation;Namenszusatz;Position;Kategorie;IBAN;BIC;Umsatzsteuer-ID;Strasse;PLZ;Ort;Land;Adress-Kategorie;Telefon;Telefon-Kategorie;Mobil;Fax;E-Mail;E-Mail-Kategorie;Webseite;Beschreibung;Geburtstag;Tags;Debitoren-Nr.;Kreditoren-Nr.;Steuernummer;Skonto Tage',
      '1001;Frau;;Weiß;Jana;;;;Kunde;;;;Ringstr. 7;20095;Hamburg;Deutschland;Arbeit;040 66969199;Arbeit;0171 3920000;;;;;;;;10001;;;',
      '1002;;;;;Alpha GmbH;;;Kunde;;;DE123456789;Hauptstr. 12;10115;Berlin;Deutschland;Arbeit;030 901820;Arbeit;;;;;;;;;10002;;;',
    ),
    {
      'Kunden-Nr.': 'reference',
      Nachname: 'name',
      Vorname: 'name',
      Organisation: 'name',
      Telefon: 'numbers',
      Mobil: 'numbers',
      Kategorie: 'segment',
      Land: 'country',
    },
  ],
  'an ERP': [
    lines(
      'Kunden-Nr.;Firma;Straße;Hausnummer;PLZ;Ort;Telefon;Faxnummer;Steuernummer',
      '1;Alpha GmbH;Hauptstr.;12;57072;Siegen;0271 1234567;0271 1234599;2712345678',
      '2;Beta KG;Ringstr.;12;57072;Siegen;0271 1234568;;2712345679',
      '3;Gamma;Weg;7a;57072;Siegen;0271 1234569;;',
    ),
    { 'Kunden-Nr.': 'reference', Firma: 'name', Telefon: 'numbers' },
  ],
  'Excel in Dutch': [
    lines(
      'sep=;',
      'Klantnummer;Voornaam;Tussenvoegsel;Achternaam;Huisnummer;BTW-nummer;Vast;Mobiel;Klantgroep',
      '0501;Jan;van;Dijk;12;NL001234567B01;020 1234567;06 12345678;Gold',
    ),
    {
      Klantnummer: 'reference',
      Voornaam: 'name',
      Tussenvoegsel: 'name',
      Achternaam: 'name',
      Vast: 'numbers',
      Mobiel: 'numbers',
      Klantgroep: 'segment',
    },
    'NL',
  ],
  'Excel in French': [
    lines(
      '\ufeffCode client;Raison sociale;Numéro de TVA;Nombre d’employés;Fixe;Portable;Télécopie;Numéro de facture',
      'C100;Dupont SARL;FR12345678901;12;01 23 45 67 89;06 12 34 56 78;01 23 45 67 00;100234',
    ),
    { 'Code client': 'reference', 'Raison sociale': 'name', Fixe: 'numbers', Portable: 'numbers' },
    'FR',
  ],
  'Excel in Spanish': [
    lines(
      'Número de cliente;Nombre;Apellidos;NIF;Número de factura;Fijo;Móvil;Fax',
      '7;Ana;Gómez Ruiz;12345678Z;2026001;912 345 678;612 345 678;912 345 679',
    ),
    {
      'Número de cliente': 'reference',
      Nombre: 'name',
      Apellidos: 'name',
      Fijo: 'numbers',
      Móvil: 'numbers',
    },
    'ES',
  ],
  'Excel in Italian': [
    lines(
      'Codice;Cognome;Nome;Ragione sociale;Città;CAP;P.IVA;Telefono;Cellulare;Fax',
      'C1;Rossi;Maria;;Roma;00184;12345678901;06 4827 1001;333 123 4567;06 4827 1002',
      'C2;;;Verdi S.r.l.;Milano;20121;12345678902;02 7200 1001;;',
    ),
    {
      Codice: 'reference',
      Cognome: 'name',
      Nome: 'name',
      'Ragione sociale': 'name',
      Telefono: 'numbers',
      Cellulare: 'numbers',
    },
    'IT',
  ],
  'Excel in Portuguese': [
    lines(
      'Nº de cliente;Nome;Apelido;Empresa;Morada;Localidade;NIF;Telefone;Telemóvel;Observações',
      '1;Ana;Gonçalves;;Rua Nova 1;Lisboa;123456789;213 456 789;912 345 678;',
    ),
    {
      'Nº de cliente': 'reference',
      Nome: 'name',
      Apelido: 'name',
      Empresa: 'name',
      Telefone: 'numbers',
      Telemóvel: 'numbers',
    },
    'PT',
  ],
  LibreOffice: [
    lines(
      '"Reference","Company","Landline","Cell","Username"',
      '"A-1","Smith & Sons","020 7946 0018","07700 900123","jsmith"',
    ),
    { Reference: 'reference', Company: 'name', Landline: 'numbers', Cell: 'numbers' },
    'GB',
  ],
  'cells copied from a spreadsheet': [
    'Kd.-Nr.\tName\tRufnummer\n7\tBar "Zum Anker"\t030 901820\n8\t12" Rohre\t030 901821',
    { 'Kd.-Nr.': 'reference', Name: 'name', Rufnummer: 'numbers' },
  ],
  'Yealink, All Contacts': [
    lines(
      'Display Name,Office Number,Mobile Number,Other Number,Line,Ring Tone,Auto Divert,Priority,group_id_name',
      'Anna Beispiel,030 901820,0171 3920000,,-1,Auto,,0,All Contacts',
      'Otto Meier,201,0171 3920001,,-1,Auto,,0,All Contacts',
      'Ida Leer,030 901821,,,-1,Auto,,0,All Contacts',
    ),
    {
      'Display Name': 'name',
      'Office Number': 'numbers',
      'Mobile Number': 'numbers',
      'Other Number': 'numbers',
    },
  ],
  'Yealink, its file of contacts': [
    lines(
      'display_name,office_number,mobile_number,other_number,line,ring,auto_divert,priority,group_id_name',
      'Anna Beispiel,030901820,01713920000,,-1,Auto,,0,All Contacts',
      'Otto Meier,030901821,01713920001,,-1,Auto,,0,All Contacts',
    ),
    {
      display_name: 'name',
      office_number: 'numbers',
      mobile_number: 'numbers',
      other_number: 'numbers',
    },
  ],
  'Snom, its directory': [
    lines(
      'Name,Number,Number type,Contact type,Outgoing identity,Organization,Title,Email,Note,Group,First name,Last name',
      'Anna Beispiel,030 901820,office,none,active,Muster GmbH,,,,,Anna,Beispiel',
      'Otto Meier,+49 171 3920001,mobile,none,active,,,,,,Otto,Meier',
    ),
    {
      Number: 'numbers',
      Organization: 'name',
      'First name': 'name',
      'Last name': 'name',
      Group: 'segment',
    },
  ],
  'Grandstream, its phonebook': [
    lines(
      'First Name,Last Name,Favorite,Company,Department,Job,Job Title,Work Number,Home Number,Mobile Number,Accountindex,Group,Ringtone',
      'Anna,Beispiel,0,Muster GmbH,,,,030901820,030901821,01713920000,0,,',
      'Otto,Meier,0,,,,,030901822,,01713920001,0,,',
    ),
    {
      'First Name': 'name',
      'Last Name': 'name',
      Company: 'name',
      Group: 'segment',
      'Work Number': 'numbers',
      'Home Number': 'numbers',
      'Mobile Number': 'numbers',
    },
  ],
  'Fanvil, its phonebook': [
    lines(
      'name,work,mobile,other,ring,groups',
      '"Anna Beispiel","030901820","01713920000","040669691","Default",""',
      '"Otto Meier","030901821","","","Default",""',
    ),
    { name: 'name', work: 'numbers', mobile: 'numbers', other: 'numbers', groups: 'segment' },
  ],
  'FreePBX Contact Manager': [
    lines(
      'displayname,fname,lname,title,company,address,phone_1_number,phone_1_type,phone_1_extension,phone_1_flags,phone_2_number,phone_2_type,phone_2_extension,phone_2_flags,email_1',
      'Anna Beispiel,Anna,Beispiel,,Muster GmbH,,030901820,work,,,01713920000,cell,,sms,a@example.com',
      'Otto Meier,Otto,Meier,,,,030901821,work,12,,,,,,',
    ),
    {
      fname: 'name',
      lname: 'name',
      company: 'name',
      phone_1_number: 'numbers',
      phone_2_number: 'numbers',
    },
  ],
  Thunderbird: [
    lines(
      'First Name,Last Name,Display Name,Nickname,Primary Email,Secondary Email,Screen Name,Work Phone,Home Phone,Fax Number,Pager Number,Mobile Number,Home Address,Home City,Home Country,Work Address,Work Country,Job Title,Department,Organization,Web Page 1,Birth Year,Custom 1,Notes',
      'Anna,Beispiel,Anna Beispiel,,a@example.com,,,030 901820,,030 901829,030 901828,0171 3920000,,,,,,,,Muster GmbH,,,,',
    ),
    {
      'First Name': 'name',
      'Last Name': 'name',
      Organization: 'name',
      'Work Phone': 'numbers',
      'Home Phone': 'numbers',
      'Mobile Number': 'numbers',
      'Home Country': 'country',
      'Work Country': 'country',
    },
  ],
  'Thunderbird in German': [
    lines(
      'Vorname,Nachname,Anzeigename,Spitzname,Primäre E-Mail-Adresse,Sekundäre E-Mail-Adresse,Messenger-Name,Tel. dienstlich,Tel. privat,Fax-Nummer,Pager-Nummer,Mobil-Tel.-Nr.,Privat: Adresse,Privat: Land,Dienstlich: Land,Arbeitstitel,Abteilung,Organisation,Webseite 1,Geburtsjahr,Notizen',
      'Anna,Beispiel,Anna Beispiel,,a@example.com,,,030 901820,,030 901829,030 901828,0171 3920000,,,,,,Muster GmbH,,,',
    ),
    {
      Vorname: 'name',
      Nachname: 'name',
      Organisation: 'name',
      'Tel. dienstlich': 'numbers',
      'Tel. privat': 'numbers',
      'Mobil-Tel.-Nr.': 'numbers',
      'Privat: Land': 'country',
      'Dienstlich: Land': 'country',
    },
  ],
  'Apple, a table of contacts': [
    lines(
      'First name,Last name,Company,Department,mobile phone,home phone,work phone,iPhone,main phone,home fax,work fax,pager,other phone,home email,birthday',
      'Anna,Beispiel,Muster GmbH,,0171 3920000,,030 901820,0171 3920005,,,030 901829,,,a@example.com,',
    ),
    {
      'First name': 'name',
      'Last name': 'name',
      Company: 'name',
      iPhone: 'numbers',
      'mobile phone': 'numbers',
      'home phone': 'numbers',
      'work phone': 'numbers',
      'main phone': 'numbers',
      'other phone': 'numbers',
    },
  ],
  'Zoho CRM': [
    lines(
      'Record Id,Contact Owner.id,Contact Owner,Lead Source,First Name,Last Name,Account Name.id,Account Name,Email,Department,Phone,Home Phone,Other Phone,Fax,Mobile,Date of Birth,Assistant,Asst Phone,Mailing Country',
      'zcrm_1,zcrm_9,Otto,Web,Anna,Beispiel,zcrm_5,Muster GmbH,a@example.com,,030 901820,,,030 901829,0171 3920000,,,030 901899,',
    ),
    {
      'Record Id': 'reference',
      'First Name': 'name',
      'Last Name': 'name',
      'Account Name': 'name',
      Phone: 'numbers',
      'Home Phone': 'numbers',
      'Other Phone': 'numbers',
      Mobile: 'numbers',
      'Mailing Country': 'country',
    },
  ],
  Pipedrive: [
    lines(
      'Person - ID,Person - Name,Person - Organization,Person - Phone - Work,Person - Phone - Home,Person - Phone - Mobile,Person - Phone - Other,Person - Email - Work,Person - Open deals,Person - Owner',
      '1,Anna Beispiel,Muster GmbH,030 901820,,0171 3920000,,a@example.com,2,Otto',
      '2,Otto Meier,,030 901821,,,,,0,Otto',
    ),
    {
      'Person - ID': 'reference',
      'Person - Name': 'name',
      'Person - Organization': 'name',
      'Person - Phone - Work': 'numbers',
      'Person - Phone - Home': 'numbers',
      'Person - Phone - Mobile': 'numbers',
      'Person - Phone - Other': 'numbers',
    },
  ],
  'a report of Salesforce': [
    lines(
      'Salutation,First Name,Last Name,Title,Account Name,Mailing Street,Mailing Country,Phone,Fax,Mobile,Email,Account Owner,Contact ID',
      'Ms.,Anna,Beispiel,Boss,Muster GmbH,Hauptstr. 1,Germany,030 901820,030 901829,0171 3920000,a@example.com,Otto,0035e00000abcdA',
      'Mr.,Otto,Meier,,Meier KG,,Germany,030 901821,,,,Otto,0035e00000abcdB',
    ),
    {
      'First Name': 'name',
      'Last Name': 'name',
      'Account Name': 'name',
      'Contact ID': 'reference',
      Phone: 'numbers',
      Mobile: 'numbers',
      'Mailing Country': 'country',
    },
  ],
  'numbers of places beside a badge': [
    lines('Name;Dienstnummer;Büronummer;Kundennr', 'Anna;4711;030 901820;7', 'Otto;4712;201;8'),
    { Name: 'name', Büronummer: 'numbers', Kundennr: 'reference' },
  ],
  'numbers of places alone': [
    lines('Nom;Numéro bureau;Numéro domicile', 'Anna;01 23 45 67 89;01 23 45 67 88', 'Luc;01 23 45 67 87;'),
    { Nom: 'name', 'Numéro bureau': 'numbers', 'Numéro domicile': 'numbers' },
    'FR',
  ],
  'numbers with counts': [
    lines('Name;Number 1;Number 2;Mobile', 'Anna;030 901820;;0171 3920000', 'Otto;030 901821;040 669691;'),
    { Name: 'name', 'Number 1': 'numbers', 'Number 2': 'numbers', Mobile: 'numbers' },
  ],
  Shopify: [
    lines(
      'Customer ID,First Name,Last Name,Email,Accepts Email Marketing,Default Address Company,Default Address Address1,Default Address City,Default Address Phone,Phone,Accepts SMS Marketing,Total Spent,Total Orders,Note,Tax Exempt,Tags',
      "'7421,Eva,Muster,e@example.com,yes,Muster GmbH,Hauptstr. 1,Berlin,030 901820,+49 171 3920000,no,1204.50,12,,no,",
    ),
    {
      'Customer ID': 'reference',
      'First Name': 'name',
      'Last Name': 'name',
      'Default Address Phone': 'numbers',
      Phone: 'numbers',
    },
  ],
};

for (const [program, [text, expected, country]] of Object.entries(exports))
  test(`columns of ${program}`, () => assert.deepEqual(chosen(text, country), expected));

test('a column is a telephone by its cells, too', () => {
  const isChosen = (header: string, ...cells: string[]) =>
    chosen(
      [
        `Kundennr;Name;Telefon;${header}`,
        ...cells.map((cell, n) => `${n};Ann ${n};030 12345${n};${cell}`),
      ].join('\n'),
    )[header] === 'numbers';
  assert.ok(isChosen('Mobil', '0171 3920000', '', ''));
  assert.ok(!isChosen('Mobil', 'ja', 'nein', 'ja'));
  assert.ok(!isChosen('Mobil', 'Android', 'iOS', 'Android'));
  for (const extension of ['12', '-20', '/ 112']) assert.ok(!isChosen('Durchwahl', extension), extension);
  assert.ok(isChosen('Durchwahl', '030 901812', '030 901813', '030 901814'));
  assert.ok(isChosen('Mobil', '4,93012E+11', '', ''), 'what a spreadsheet has shortened is named');
});

test('a table without a header has its numbers where labels are written before them', () => {
  const text =
    '1001;Anna Schmidt;Tel. 030 620741\n1002;Bernd Meier;Tel. 030 620742\n1003;Carla Weiss;Tel. 030 620743';
  const { header, sample } = readTable(text);
  assert.deepEqual(chooseColumns(header, sample, 'DE'), ['reference', 'name', 'numbers']);
});

test('a column of countries is found by its header and its cells', () => {
  const numbers = ['044 668 18 00', '030 901820'];
  const countryColumns = {
    'CH|DE':
      'Country|Country/Region|Land|Pays|País|Paese|ISO code|Country Code|Business Country|EU-Land|Länderkennzeichen|Phone Country|Rechnungsadresse Land|Landcode|country_code',
    'Switzerland|': 'Country|Mailing Country|Address 1 - Country',
    'Schweiz|Deutschland': 'Land|Staat',
  };
  for (const [cells, headers] of Object.entries(countryColumns))
    for (const header of headers.split('|')) {
      const lines = cells.split('|').map((cell, n) => `${n};Ann ${n};${cell};${numbers[n]}`);
      const text = `Kundennr;Name;${header};Telefon\n${lines.join('\n')}`;
      assert.equal(chosen(text)[header], 'country', header);
    }
  for (const [header, cells] of [
    ['Land', '+41|+49'],
    ['Bundesland', 'Bayern|Hessen'],
    ['Land', 'Bayern|Hessen'],
    ['Geburtsland', 'CH|DE'],
    ['Bank Country', 'CH|DE'],
    ['Country of Origin', 'CH|DE'],
    ['Country of Citizenship', 'CH|DE'],
    ["Pays d'origine", 'CH|DE'],
    ['País de nacionalidad', 'CH|DE'],
    ['Herkunftsland', 'CH|DE'],
    ['Ursprungsland', 'CH|DE'],
    ['Heimatland', 'CH|DE'],
    ['Nazione di cittadinanza', 'CH|DE'],
    ['Land van herkomst', 'CH|DE'],
    ['Pays de nationalité', 'CH|DE'],
    ['Anrede', 'MR|MS'],
  ] as const) {
    const lines = cells.split('|').map((cell, n) => `${n};Ann ${n};${cell};${numbers[n]}`);
    const text = `Kundennr;Name;${header};Telefon\n${lines.join('\n')}`;
    assert.equal(chosen(text)[header], undefined, `${header} ${cells}`);
  }
});

test('a name whose header has an unknown word is that part of the name, if the table has nothing better for it', () => {
  for (const [header, line, names] of [
    [
      'Guest No;Guest First Name;Guest Last Name;Phone',
      '1;Anna;Berg;030 901820',
      'Guest First Name;Guest Last Name',
    ],
    ['Co./Last Name;First Name;Phone', 'Smith;Anna;030 901820', 'Co./Last Name;First Name'],
    ["Nom de naissance;Nom d'usage;Prénom;Phone", 'Vert;Petit;Ina;030 901820', "Nom d'usage;Prénom"],
    [
      'Nombre;Primer apellido;Segundo apellido;Phone',
      'Ana;López;Gil;030 901820',
      'Nombre;Primer apellido;Segundo apellido',
    ],
    ['Nombre;1er Apellido;2º Apellido;Phone', 'Ana;López;Gil;030 901820', 'Nombre;1er Apellido;2º Apellido'],
    [
      'Nombre;Apellido paterno;Apellido materno;Phone',
      'Ana;López;Gil;030 901820',
      'Nombre;Apellido paterno;Apellido materno',
    ],
    ['Voorvoegsel;Geslachtsnaam;Phone', 'de;Vries;030 901820', 'Voorvoegsel;Geslachtsnaam'],
    ['Forenames;Surname;Phone', 'Anna;Berg;030 901820', 'Forenames;Surname'],
    ['Vorname;Nachname;Name des Hundes;Phone', 'Anna;Berg;Rex;030 901820', 'Vorname;Nachname'],
  ] as const) {
    const found = Object.entries(chosen(`${header}\n${line}`)).filter(([, field]) => field === 'name');
    assert.equal(found.map(([name]) => name).join(';'), names, header);
  }
});

test('a name that says nothing more, in the lines that are looked at, is a spare one', () => {
  for (const [header, line, spare] of [
    ['Company;Contact;Phone', 'Smith Ltd;Anna Smith;030 901820', 'Contact'],
    ['Firma;Ansprechpartner;Telefon', 'Berg GmbH;Anna Berg;030 901820', 'Ansprechpartner'],
    ['Vorname;Nachname;Display Name;Telefon', 'Anna;Berg;Anna Berg;030 901820', 'Display Name'],
    ['Vorname;Nachname;Kunde;Telefon', 'Anna;Berg;;030 901820', 'Kunde'],
    ['Nombre;Apellidos;Nombre completo;Teléfono', 'Ana;Gil;Ana Gil;030 901820', 'Nombre completo'],
  ] as const) {
    const { header: names, sample } = readTable(`${header}\n${line}`);
    const mapping = chooseColumns(names, sample, 'DE');
    assert.deepEqual(names.filter((_, index) => mapping[index] === 'spare-name').join(), spare, header);
  }
});

test('of a list that is printed in blocks, the first is chosen; the others are left to whoever imports it', () => {
  for (const [header, line] of [
    ['Name;Telefon;;Name;Telefon', 'Anna Berg;030 901820;;Max Huber;030 901821'],
    ['Name;Durchwahl;Handy;Name;Durchwahl;Handy', 'Berg;101;0171 3920000;Huber;102;0171 3920001'],
    ['Nummer;Name;Nummer 2;Name 2', '030 901820;Anna Berg;030 901821;Max Huber'],
    [
      'Nr;Name;Telefon;;Nr;Name;Telefon;;Nr;Name;Telefon',
      '1;Ann;030 901820;;2;Bob;030 901821;;3;Eve;030 901822',
    ],
  ] as const) {
    const { header: names, sample } = readTable(`${header}\n${line}`);
    const mapping = chooseColumns(names, sample, 'DE');
    const first = names.findIndex((name, at) => at > 0 && name.replace(/ 2$/, '') === names[0]);
    assert.deepEqual(mapping.slice(first).filter(Boolean), [], header);
    assert.ok(mapping.includes('name') && mapping.includes('numbers'), header);
  }
  for (const header of [
    'Kundennr;Name 1;Telefon 1;Name 2;Telefon 2',
    'Firma;Name 1;Telefon 1;Name 2;Telefon 2',
  ])
    assert.equal(chosen(`${header}\n1;Ann;030 901820;Bob;030 901821`)['Telefon 2'], 'numbers', header);
});

test('headers of any kind of number, and tables without headers, leave it to the cells', () => {
  assert.deepEqual(chosen('Nummer;Name\n030 901820;Ann\n0171 3920000;Bob\n'), {
    Nummer: 'numbers',
    Name: 'name',
  });
  assert.deepEqual(chosen('Nummer;Name;Telefon\n30901820;Ann;030 1234567\n'), {
    Nummer: 'reference',
    Name: 'name',
    Telefon: 'numbers',
  });
  assert.deepEqual(chosen('Имя;Телефон\nИван;+7 495 1234567\nОльга;+7 495 1234568\n', 'RU'), {
    Имя: 'name',
    Телефон: 'numbers',
  });
  for (const fax of ['Факс', 'Φαξ', '传真', 'فاكس', 'פקס', 'ファックス'])
    assert.deepEqual(chosen(`Имя;Телефон;${fax}\nИван;+7 495 1234567;+7 495 1234599\n`, 'RU'), {
      Имя: 'name',
      Телефон: 'numbers',
    });
  assert.deepEqual(chosen('1001;Müller GmbH;030 901820\n1002;Meier;030 901821\n'), {
    1: 'reference',
    2: 'name',
    3: 'numbers',
  });
  for (const table of [
    'EAN;Artikel\n4006381333931;Stift\n4006381333948;Heft\n',
    'Datum;Wert\n2026-11-27;12\n',
  ])
    assert.deepEqual(
      Object.values(chosen(table)).filter((field) => field === 'numbers'),
      [],
      table,
    );
});

test('the cells below a header with a word for a telephone decide what it holds', () => {
  const isChosen = (header: string, ...cells: string[]) =>
    chosen([`Name;${header}`, ...cells.map((cell, n) => `Ann ${n};${cell}`)].join('\n'))[header];
  const headers = `Contact Number|Contact No.|Kontaktnummer|Contactnummer|Numéro de contact|Número de contacto
    Telefon (mit Vorwahl)|Telefonnummer inkl. Vorwahl|Phone (with country code)|Phone number with area code
    Téléphone (avec indicatif)|Telefoon (met netnummer)|Telefon/Fax|Phone / Email|Telefon (Notfall)
    Phone (day time)|Rückrufnummer|Telf.|Belnummer|Fone|Numer telefonu|Мобильный телефон|Номер телефона|電話番号
    Telefon und Fax|Telefon, Fax|Teléfono y Fax|Téléphone et télécopie|Tel. u. Fax
    Telefon- und Faxnummer|Telefon und E-Mail|Telefon, E-Mail|Phone and Email|Telefoon en e-mail
    Teléfono, correo|Telefono e fax|SMS`;
  for (const header of headers.split(/\s*[|\n]\s*/))
    for (const cells of [
      ['030 901820', '+49 171 3920000'],
      ['030 901820 (privat)', '030 901821'],
    ])
      assert.equal(isChosen(header, ...cells), 'numbers', header);
  const keys = `Handy IMEI|Telefonvertrag Nr.|Direct debit reference|Phone Number ID|Zentrale Kundennummer|Vaste klant nr
    Telefon PIN|Handyvertrag|Festnetz Vertragsnummer|Portable serial number|Cell reference|Nº fijo de socio
    Preferred Phone|Phone Type|SMS Marketing Consent
    Telefonrechnung|Switchboard operator ID|Telefon Kundennummer|Direct debit|Rückmeldung|Contact Number`;
  for (const header of keys.split(/\s*[|\n]\s*/))
    assert.notEqual(isChosen(header, '20345671', '20345672'), 'numbers', header);
  for (const header of ['Sozialversicherungsnummer', 'Zählernummer', 'Gläubiger-ID', 'N° de compteur'])
    assert.notEqual(isChosen(header, '0301234567', '0301234568'), 'numbers', header);
  assert.equal(isChosen('Contact Number', 'K-1', 'K-2'), 'reference');
});

test('a telephone of a person who has a column is not the customer’s', () => {
  for (const [person, telephone] of [
    ['Commercial', 'Tél. commercial'],
    ['Eigentümer', 'Telefon Eigentümer'],
    ['Tutor', 'Tutor phone'],
    ['Médecin traitant', 'Téléphone médecin traitant'],
  ] as const) {
    const found = chosen(
      `Code;Nom;Telefon;${person};${telephone}\n1;Ann;030 901820;Jean;030 901821\n2;Bob;030 901822;Luc;030 901823`,
    );
    assert.equal(found[telephone], undefined, telephone);
    assert.equal(found.Telefon, 'numbers');
  }
  for (const [own, telephone] of [
    ['Firma', 'Telefon Firma'],
    ['Ansprechpartner', 'Telefon Ansprechpartner'],
    ['Kunde', 'Telefon Kunde'],
  ] as const)
    assert.equal(
      chosen(`Nr;${own};${telephone}\n1;Ann;030 901820\n2;Bob;030 901822`)[telephone],
      'numbers',
      telephone,
    );
});

test('a check box is no reference, even if it is called so', () => {
  const lines = ['CON1;Anna;030 901820;1', 'CON2;Max;030 901821;1', 'CON3;Ina;030 901822;0'];
  assert.deepEqual(chosen(['Contact Id;First Name;Office Phone;Reference', ...lines].join('\n')), {
    'Contact Id': 'reference',
    'First Name': 'name',
    'Office Phone': 'numbers',
  });
  assert.equal(chosen('Reference;Name;Phone\n1;Anna;030 901820\n0;Max;030 901821').Reference, 'reference');
});

test('numbers of customers are references, also where all lines have the first', () => {
  for (const header of ['Kundennr', 'Kunden-Nr.', 'Customer number', 'Numéro client', 'Customer ID'])
    for (const cell of ['1', '0'])
      assert.equal(
        chosen(`${header};Name;Telefon\n${cell};Ann;030 901821\n${cell};Ann;030 901822`)[header],
        'reference',
        header,
      );
});

test('the reference is that of the line, not that of what several lines belong to', () => {
  const keys = (header: string) =>
    Object.entries(
      chosen(`${header};Name;Phone\na;1;Ann;030 901820\na;2;Bob;030 901821\nb;3;Eve;030 901822\n`),
    )
      .filter(([, field]) => field === 'reference')
      .map(([name]) => name);
  assert.deepEqual(keys('Account ID;Contact ID'), ['Contact ID']);
  assert.deepEqual(keys('ACCOUNTID;ID'), ['ID']);
  assert.deepEqual(keys('Kundennr;Kontakt-ID'), ['Kontakt-ID']);
  assert.deepEqual(keys('Account Number;Record ID'), ['Record ID']);
  assert.deepEqual(keys('Kundennr;Ort'), ['Kundennr']);
});

test('what the first hundred lines of a column do not say, the later ones or the header do', () => {
  const table = (header: string, first: string | ((n: number) => string), later: string) =>
    lines(
      `Kundennummer;Nachname;${header}`,
      ...Array.from({ length: 250 }, (_, n) => {
        const cell = n >= 100 ? later : typeof first === 'string' ? first : first(n);
        return `${n + 1};Meier ${n};${cell}`;
      }),
    );
  for (const filler of '- n/a 0 keine NULL x nein unbekannt k.A. keine_Angabe ? --- 000'.split(' ')) {
    const cell = filler.replace('_', ' ');
    for (const [header, later, field] of [
      ['Mobil', '0171 3920000', 'numbers'],
      ['Mobil', cell, 'numbers'],
      ['Vorname', 'Ann', 'name'],
      ['Firma', 'Alpha GmbH', 'name'],
      ['Land', 'CH', 'country'],
      ['Gruppe', 'VIP', 'segment'],
    ] as const)
      assert.equal(chosen(table(header, cell, later))[header], field, `${header} ${cell} ${later}`);
  }
  assert.equal(chosen(table('Mobil', (n) => (n < 3 ? 'siehe Notiz' : ''), '0171 3920000')).Mobil, 'numbers');
  assert.equal(chosen(table('Gruppe', (n) => `G${n}`, 'VIP')).Gruppe, 'segment');
  assert.equal(chosen(table('Land', 'Bayern', 'CH')).Land, 'country');
  const keys = (key: string) => table('Ort', 'Berlin', 'Bonn').replace(/^(\d\d?|100);/gm, `${key};`);
  for (const key of ['0', '-', 'neu']) assert.equal(chosen(keys(key)).Kundennummer, 'reference', key);
});

/** The columns of a table that are not imported and named, each with its first line. */
function named(header: readonly string[], rows: readonly (readonly string[])[], country = 'DE') {
  const left = leftOutTelephones(header, chooseColumns(header, rows.slice(0, 100), country), country);
  for (const [at, row] of rows.entries()) left.look(at + 2, row);
  return left.found().map(({ column, line }) => `${header[column]} ${line}`);
}

test('a column that is not imported is named if it has a number anywhere', () => {
  const namedOf = (header: string, cell: (n: number) => string) =>
    named(
      ['Kundennummer', 'Telefon', header],
      Array.from({ length: 400 }, (_, n) => [`${n}`, `030 ${100_000 + n}`, cell(n)]),
    );
  const last = (other: string, number: string) => (n: number) => (n === 399 ? number : other);
  for (const other of ['siehe Notiz', 'ja', 'Android', '12'])
    for (const number of ['0171 3920000', 'privat 0171 3920000', '0171 3920000, 030 901820 (Ann)'])
      for (const header of ['Mobil', 'Telefon Filiale'])
        assert.deepEqual(namedOf(header, last(other, number)), [`${header} 401`], `${other} ${number}`);
  assert.deepEqual(namedOf('Ruf', last('siehe Notiz', '0171 3920000 privat')), ['Ruf 401']);
  for (const other of ['4711001234567', '20241130', '2024-11-30', 'A-1234567'])
    assert.deepEqual(namedOf('Zähler', last(other, '0171 3920000')), [], other);
  assert.deepEqual(namedOf('Fax', last('', '030 901829')), []);
});

/** How people and spreadsheets write the numbers of a column, by country. */
const written: Record<string, readonly (readonly string[])[]> = {
  DE: [
    ['030 901820', '0171 3920000'],
    ['30901825', '1713920000'],
    ['4930901820', '491713920000'],
    ['030 901820', 'Fr. Maier 030 901821', '0171 3920000', 'Hr. Kuhn 030 901823'],
  ],
  FR: [['142681000', '612345678']],
  GB: [['2079460000', '7911123456']],
  BR: [['(11) 3333-4444', '3333-4446', '0xx11 3222-1111']],
  PL: [['42 630 11 22', '601 234 567']],
};
const uncertain: Record<string, string> = {
  DE: `Telefon Filiale|Telefon Steuerberater|Telefon Vermieter|Tel. Arbeitgeber|Telefon Anwalt|Handy Mutter|Telefon Mieter|Ruf
    Telefon Hausmeister|Telefon Versicherung|Tel. Makler|Landlord Phone|Employer Phone|Guardian phone|Tenant phone|Owner Phone
    Manager Phone|Telefon Hausarzt|Notfalltelefon|Téléphone personne de confiance|Emergency phone|Mitarbeiter Handy|Main line
    Teléfono abogado|Telefoon werkgever|Verified Phone|Callback|Земля`,
  FR: 'Téléphone siège|Téléphone employeur|Téléphone notaire|Tél. avocat|Tél. comptable|Tél. propriétaire',
  GB: 'Warehouse phone|Lawyer phone|Parent Phone|Solicitor Tel',
  BR: 'Telefone matriz|Telefone do contador',
  PL: 'Telefon magazynu|Telefon prawnika',
};

test('telephones that are perhaps not the customer’s are not imported unless they are chosen, and are named', () => {
  for (const [country, list] of Object.entries(uncertain))
    for (const header of list.split(/\s*[|\n]\s*/))
      for (const cells of written[country] ?? []) {
        if (header === 'Ruf' && cells.length > 2) continue;
        const names = ['Kundennr', 'Name', 'Telefon', header];
        const rows = cells.map((cell, n) => [`${n + 1}`, `Ann ${n}`, cell, cell]);
        assert.equal(chooseColumns(names, rows, country)[3], '', header);
        assert.deepEqual(named(names, rows, country), [`${header} 2`], `${header} ${cells}`);
      }
  for (const header of ['privat', 'geschäftlich', 'Büronummer', 'Kontaktnummer', 'Nummer'])
    assert.deepEqual(
      named(
        ['Kundennr', 'Name', header],
        [
          ['7', 'Ann', '30901825'],
          ['8', 'Bob', '1713920000'],
        ],
      ),
      [`${header} 2`],
    );
});

test('what is called a key and has telephones is no key, and named', () => {
  for (const header of ['Kundennummer', 'Referenznr', 'Matchcode']) {
    const names = [header, 'Name', 'Ort'];
    const rows = ['030 901820', '+49 171 3920000'].map((cell, n) => [cell, `Ann ${n}`, 'Berlin']);
    assert.deepEqual(chooseColumns(names, rows, 'DE'), ['', 'name', ''], header);
    assert.deepEqual(named(names, rows), [`${header} 2`]);
  }
});

test('a column of telephones in any language is one, also where cells have several, an extension or a name', () => {
  for (const [country, header, cells] of [
    [
      'RU',
      'Телефон',
      [
        '+7 (495) 123-45-67',
        '8 (495) 123-45-68, 8 (916) 123-45-69',
        '8 (495) 123-45-70 доб. 12',
        '8 (916) 123-45-71 Иван',
      ],
    ],
    ['BG', 'Телефон', ['02 981 23 45', '0888 123 456 / 02 981 23 46', '0888 123 457 Иван', '0888123458']],
    ['IL', 'טלפון', ['03-1234567, 050-2345678', '03-5234567 שלוחה 5', '052-3456789 דוד']],
    ['CN', '电话', ['138 0013 8000', '010-62345678, 13900139000', '010-62345679转8012']],
    ['HU', 'Telefonszám', ['06-1-234-5678', '06-1-234-5679, 06-20-123-4567', '06-30-123-4567 (Béla)']],
    ['CZ', 'Telefonní číslo', ['222 123 456', '222 123 457, 777 123 456', '777 123 457 pan Novák']],
    ['LV', 'Saziņa', ['67 222 333', '67 222 334, 29 123 456', '29 123 457 Anna']],
  ] as const) {
    const rows = cells.map((cell, n) => [`${n}`, `Ann ${n}`, cell, cell]);
    const [, , one, mobile] = chooseColumns(['Код', '姓名', header, 'Мобильный'], rows, country);
    const isKnown = country !== 'LV';
    assert.deepEqual([one, mobile], [isKnown ? 'numbers' : '', 'numbers'], `${country} ${header}`);
    const left = leftOutTelephones(['Nr', 'Name', header], ['reference', 'name', ''], country);
    for (const [at, row] of rows.entries()) left.look(at + 2, row);
    assert.equal(left.found().length, 1, `${country} ${header} is named`);
  }
});

test('a check box is no name', () => {
  for (const [header, yes, no] of [
    ['is_company', 'True', 'False'],
    ['Company?', 'Yes', 'No'],
    ['Firma (ja/nein)', 'ja', 'nein'],
    ['Firma', 'x', ''],
    ['Société', 'oui', 'non'],
    ['Is Customer', 'no', 'no'],
  ] as const) {
    const table = lines(`id;${header};Name;Phone`, `1;${yes};;030 901820`, `2;${no};Ann Lee;030 901821`);
    const { header: names, sample } = readTable(table);
    assert.deepEqual(chooseColumns(names, sample, 'DE'), ['reference', '', 'name', 'numbers'], header);
  }
});

test('a telephone whose prefix is that of somebody else’s name is not the customer’s, and is named', () => {
  const header =
    'customer_id,first_name,last_name,billing_phone,shipping_first_name,shipping_last_name,shipping_phone';
  const isChosen = (...rows: string[]) => chosen(lines(header, ...rows)).shipping_phone === 'numbers';
  const anna = '1,Ann,Meier,030 901820,Ann,Meier,030 901821';
  assert.ok(isChosen(anna, '2,Bob,Berg,030 901822,,,'), 'the same person');
  assert.ok(!isChosen(anna, '2,Bob,Berg,030 901822,Eve,Low,030 901823'));
  assert.ok(isChosen('1,Ann,Meier,030 901820,,,030 901821'), 'nobody');
  const names = header.split(',');
  const rows = [anna.split(','), '2,Bob,Berg,030 901822,Eve,Low,030 901823'.split(',')];
  const left = leftOutTelephones(names, chooseColumns(names, rows, 'DE'), 'DE');
  for (const [at, row] of rows.entries()) left.look(at + 2, row);
  assert.deepEqual(
    left.found().map(({ column }) => names[column]),
    ['shipping_phone'],
  );
});
