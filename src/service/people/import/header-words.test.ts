import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Meaning, meaningOf } from './header-words.ts';

/** Headers of exports in several languages, separated by `|`. */
const headers: Record<Meaning, string> = {
  none: `Company ID|Firmennummer|Hausnummer|Hausnr.|Steuernummer|Rechnungsnummer|Vertragsnummer|Personalnummer
    Kontonummer|Huisnummer|BTW-nummer|Invoice number|Number of employees|Numéro de TVA|Television|Username
    User name|Domain name|Street name|Organization Title|Fax|Faxnummer|Telefax|Business Fax|Fax geschäftlich
    Télécopie (bureau)|Assistant's Phone|Telefon Assistent|Téléphone de l'assistant(e)|Manager's Name
    Name des/der Vorgesetzten|Phonetic First Name|Name Prefix|Name Suffix
    E-mail 1 - Value|E-Mail-Adresse|Email|Mail|Contact owner|Lead Status|Number of Form Submissions
    Number of Associated Deals|Organization Department|Group Membership|Labels|PLZ|Ort|Straße|IBAN|BIC
    Bankleitzahl 1|Bankkonto-Nummer 1|Telefon-Kategorie|E-Mail: Angezeigter Name|Geburtsname
    Website 1 - Value|Nickname|File As|Organizational ID Number|Government ID Number|Kontoinhaber|USt-IdNr.
    UID-Nummer|Ust-ID|Kreditkartennummer|Product name|Numéro de facture|Número de factura|Factuurnummer
    Número de IVA|Code postal|Código postal|Postcode|Telex|Pager|Country code|Land|Pays|Nombre d'employés
    Número de empleados|Anzahl Mitarbeiter|Aantal medewerkers|Kundentyp|Kunde seit|Last Activity
    Last Modified Date|Geburtsdatum|Anrede|Titel|Abteilung|Position|Kontoinhaber
    Telephone of assistant|Kreditorennummer|Lieferantennummer|Supplier number|Artikelnummer|SIRET|Handelsregisternummer|KvK-nummer
    Organization 1 - Title|Numéro de contrat|Bestellnummer|Mandatsreferenz|Факс|Рабочий факс|Телефакс|ФАКС 2|Φαξ|ΦΑΞ|传真|传真号码|傳真|فاكس|رقم الفاكس|פקס|ファックス|ファクス番号|ﾌｧｯｸｽ|팩스|Faks
    FAX番号|FAX번호|FAX号码|ＦＡＸ番号|番号FAX|Faxszám|Faxové číslo|Numer faksu|Faks numarası|Faksi|Faxnr.|Faxgerät privat
    Indirizzo|Città|CAP|P.IVA|Partita IVA|Codice fiscale|Telefon (Fax)|Phone (Fax)|Phone (Work Fax)|Telefon (Fax geschäftlich)|Phone [Fax]|Telefon (Sekretariat)
    Telefon Sekretariat|Sekretariat Telefon|Tel.-Nr. Sekretariat|Téléphone secrétariat|Teléfono secretaría
    Phone (Assistant)|Phone (Spouse)|Téléphone (secrétariat)|Prefisso|Nome utente|Data di nascita|Numero fattura|Note|Code famille|Código familia
    Morada|Código postal|Contribuinte|Nome do produto|Observações|group_id_name|Contact Owner.id|Responsável|Localidade|Número de fatura`,
  numbers: `Fone|Numer telefonu|Telefon komórkowy|Telefon kontaktowy|Telefonszám|Telefonní číslo|電話番号|Номер телефона|Мобильный телефон|رقم الهاتف|Телефон|Телефон 1|Тел.|Τηλέφωνο|电话|電話|هاتف|טלפון|전화|Телефон/факс|Τηλ./Φαξ|电话/传真|هاتف/فاكس|電話/FAX
    Telef.|Natel|Natel-Nr.|Natel Nr|Hdy|Hdy.|Festn.|Mobilf.|Direktwahl|Fixnetz 2|Telefon Fixnetz|Port.|Telefon (auch Fax)|Tel. (+Fax)
    Telefon (kein Fax)|Telefon (Notfall)|Telefon/Fax|Tel. + Fax|Phone / Fax|Festnetz|Durchwahl|Fon|Zentrale|GSM|Portable|Fixe|Celular|Fijo|Cell|Mobil|Handy|Rufnummer|Teléfono
    Téléphone|Telefoon|Telefon|Telefonnummer|Tel.|Tel|Tel. Nr.|TelNr|Telefon 1|Telefon1|Telefon2
    Phone 1 - Value|Phone Number|Mobile Phone Number|Mobiltelefon|Mobilnummer|Handynummer|Handy-Nr.
    Business Phone|Business Phone 2|Home Phone|Car Phone|Company Main Phone|Primary Phone|Other Phone
    Mobile Phone|Telefon geschäftlich|Telefon privat 2|Autotelefon|Haupttelefon|Weiteres Telefon
    Privattelefon|Firmentelefon|Bürotelefon|Diensthandy|Mobilfunknummer|Festnetznummer|Numéro de téléphone
    Tél. mobile|Tél.|N° de téléphone|Téléphone (bureau)|Téléphone portable|Teléfono móvil|Móvil
    Nº de teléfono|Número de teléfono|Tfno.|Telefoonnummer|Mobiel|Mobiele telefoon|GSM-nummer
    Telefoon op werk|Mobielnummer|Vaste telefoon|phoneNumber|phone_number|mobile_phone|Landline|iPhone|Cell phone
    Mobile No.|WhatsApp|Direct Line|Telefon Ansprechpartner|Billing Phone|Default Address Phone|Work Phone
    Telefon GL|Mobil-Tel.-Nr.|Tel. dienstlich|Ligne directe|Person - Phone - Work|Rufnummer 2|Telefon (Firma)
    Mobile|Telephone|TELEFON|Telefono fijo|Contact phone|Cellulare|Numero di telefono|Telefono fisso|Fisso|Tel. ufficio|Tel. cellulare|N. cellulare|Telefono aziendale
    Telefone|Telemóvel|Telefone fixo|Número de telemóvel|Telemóvel 2|Telefone do trabalho|Celular`,
  'perhaps-numbers': `電話・FAX番号|Телефон менеджера|Telefonnyckel|TEL;TYPE=WORK,FAX|Téléphone en cas d'urgence|Emergency phone|Manager Phone|Phone 1 - Label|Phone 1 - Type|Phone Type|Bemerkung (Telefon)|Preferred Phone
    Handy IMEI|Telefonvertrag Nr.|Zentrale Kundennummer|Telefon Kundennummer|Vaste klant|Telefon Hausmeister
    Callback|Rückmeldung|Main line|Land line|Anschlussnummer
    Telefon Mieter|Tenant phone|Owner Phone|Telefon Familie|Handy Mutter|Telefon Steuerberater`,
  'contact-number': `Contact Number|Contact No.|Kontaktnummer|Contactnummer|Numéro de contact|Número de contacto`,
  'place-number': `Zweitnummer|Ersatznummer|Weitere Nummer|Second number|Alternate number|Home Number|Work Number|office_number|Office Number|Business Number|Other Number|Main No.|Primary number
    Private Number|officeNumber|Home Number 2|Büronummer|Privatnummer|Dienstnummer|Geschäftsnummer|Hauptnummer|Geschäftl. Nr.
    Arbeitsnummer|Andere Nummer|Nummer Büro|Interne Nummer|Numéro bureau|Numéro du bureau|N° domicile|Numéro professionnel
    Numéro personnel|Autre numéro|Numéro principal|Número de oficina|Número de casa|Número del trabajo|Número particular
    Otro número|Numero ufficio|Numero casa|Altro numero|Kantoornummer|Werknummer|Thuisnummer|Privénummer|Ander nummer
    Zakelijk nummer|Hoofdnummer|Número do escritório|Número de trabalho|Outro número
    Home|Work|Office|Other|Büro|Bureau|Oficina|Thuis|Kantoor|Ufficio|Business2|Home2|Alt|Alternate|Secondary|Evening|Dom.|Bur.|Pro|Perso`,
  reference: `Kundennummer|Kunden-Nr.|KdNr|Kd.-Nr.|Kdnr.|KundenNr|Kundennr|Kunden-ID|Numéro de client|Numéro client
    N° client|N° de client|Code client|Account Number|Account No.|Customer number|Customer ID|Customer No
    CustomerID|customer_id|Client ID|Número de cliente|Nº cliente|Código de cliente|Klantnummer|Klantnr.
    Klantcode|Debitorenkonto|Debitoren-Nr.|Debitorennummer|Debiteurnummer|Debiteurennummer|Relatienummer
    Lidnummer|Reference|Referenz|Référence|Referencia|Referentie|Ref|Ref.|Record ID|Contact ID
    Mitgliedsnummer|Patientennummer|Member ID|Customer #|Kundenkonto|Référence client|Mandantennummer
    Externe ID|Account Name.id|Datensatz-ID|ID de fiche d'informations|ID de registro|KUNNR|PatNr|Cod. cliente|Cód. cliente|A/C|Cod. Cliente|External ID|Codice cliente|Numero cliente|ID cliente|Riferimento|Nº de cliente|Código do cliente`,
  given: `Vorname|First Name|Given Name|Prénom|Voornaam|FirstName|first_name|Nombre de pila|First|Forename
    Billing First Name|Nome proprio|Primeiro nome|Förnamn|Fornavn|Imię`,
  family: `Nachname|Last Name|Family Name|Surname|Achternaam|Apellidos|Apellido|Nom de famille|Zuname|Familienname
    Last|Segundo apellido|Cognome|Apelido|Sobrenome|Último nome|Efternamn|Nazwisko|Příjmení`,
  middle: `Middle Name|Weitere Vornamen|Deuxième prénom|Segundo nombre|Additional Name|Tussenvoegsel|Second name`,
  full: `Name|Nom|Nombre|Naam|Full Name|Name, Vorname|Nom et prénom|Nombre y apellidos|Vorname Nachname
    Vor- und Nachname|Name 1|Name2|Customer name|Kundenname|Nom du client|Klantnaam|Contact Name
    Name (Adressattyp natürl. Person)|Volledige naam|Voor- en achternaam|Nombre completo|Nom complet|Nome|Nominativo|Nome e cognome|Cognome e nome|Nome completo|Nome do cliente|Nazwa|Namn|Navn|Nimi|Név|Jméno|Intitulé|Intitulé du tiers`,
  company: `Firma|Company|Company Name|Raison sociale|Razón social|Société|Empresa|Bedrijf|Bedrijfsnaam|Firmenname
    Organization|Organization Name|Organization 1 - Name|Unternehmen|Entreprise|Organisation
    Nom de l'entreprise|Associated Company|Unternehmensname|Nombre de la empresa|Handelsnaam
    Nom de la société|Nom de société|Billing Company|Denominación social|Ragione sociale|Ditta|Azienda|Società|Denominazione sociale|Razão social|Nome da empresa|Account Name|account_name|Sociedade|Ünvan|Rag. Soc.|Rag. Soc. 1|Rag.Soc.`,
  display: 'Display Name|Anzeigename',
  alias: `Kurzbezeichnung|Matchcode|Suchname|Ansprechpartner|Kontaktperson|Short name
    Kurzname|Contactpersoon|Contact person|Referente|Pessoa de contato`,
  segment: `Segment|Segmento|Kundengruppe|Gruppe|Kategorie|Catégorie|Groep|Klantgroep|Categoría|Customer group|Group name|Gruppenname
    Kundensegment|Groupe de clients|Category|Gruppo|Grupo|Categoria|Famille|Famille clients|Familia|Família`,
  key: `Nummer|Number|Nr.|ID|Numéro|Número|No.|Konto|Code|Codice|Código|Cod.|Cód.`,
  customer: `Kunde|Customer|Client|Cliente|Klant`,
  unknown: `Gläubiger-ID|Lfd. Nr.|foo|x`,
};

for (const [meaning, list] of Object.entries(headers))
  test(`headers: ${meaning}`, () => {
    const other = list
      .split(/\||\n\s*/)
      .map((header) => [header, meaningOf(header)] as const)
      .filter(([, found]) => found !== meaning);
    assert.deepEqual(other, []);
  });
