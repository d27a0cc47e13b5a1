/**
 * Words in the headers of tables that other programs export, in the languages of the pages, in Italian and in Portuguese,
 * those for names in some others; in lower case and without accents. German and Dutch join words: `telefonnummer` is read as `telefon` and `nummer`, and a joined word with a part
 * that is not listed is unknown. Each row is a role: what its words make of a column.
 */
const vocabulary = {
  /** A telephone. */
  telephone: `telephone telephones phone phones tel tels fon ph mobile mobiles mob cellphone cellphones iphone cellular landline
    ddi sms whatsapp whats telefon telefone telefonnr natel hdy fixnetz festn mobilf direktwahl handy handys mobil mobilfunk mobiltel festnetz durchwahl
    rufnummer rufnummern rufnr hotline telephonique gsm telefono telefonos telef telf tfno tfn tlf tlfn movil
    moviles celular celulares telefoon telefoons mobiel mobiele mobieltje doorkies belnummer ruckrufnummer rueckrufnummer
    cellulare cellulari telefonino telefoni telefonico telefonica telefonici telemovel telemoveis telefones
    fone fones telefonu telefony telefonni telefonszam puhelin`,
  /** A telephone, where nothing else is next to it: `Fijo`, but not `Cliente fijo`. */
  adjective: `cell cel switchboard direct directe directa zentrale portable fixe fijo fijos centralita vast vaste
    fisso fissi fixo port`,
  /** Perhaps a telephone. */
  line: `line ligne linea lijn leitung callback rappel ruckmeldung rueckmeldung ruckruf rueckruf anschluss fernsprecher`,
  /** Written before a number; a column of its own is no number. */
  prefix: `vorwahl landervorwahl laendervorwahl landesvorwahl area areacode prefix prefijo indicatif netnummer prefisso prefissi indicativo kengetal dialcode ddd`,
  /** A country, or its calling code. */
  country: `country countries countrycode iso land lander laender landes landcode landercode laendercode landkurzel
    landkuerzel landerkurzel laenderkuerzel landeskennzeichen landerkennzeichen laenderkennzeichen staat nation pays pais
    nazione paese`,
  /** A telephone at which the person is not called, also where it stands in brackets. */
  elsewhere: `fax faxes telefax telefaxe telecopie telecopieur facsimile pager telex tty tdd
    assistant assistants assistent assistentin assistente assistenten asst ayudante asistente secretary sekretariat secretariat secretariaat secretaria segreteria spouse partner
    ehepartner conjoint conyuge faks faksi faksas fakss telefaks facsimil segretaria segretario coniuge`,
  /** Another person, whose telephone is seldom the customer's. */
  others: `manager managers vorgesetzte vorgesetzten vorgesetzter superviseur responsable jefe
    leidinggevende betreuer bearbeiter sachbearbeiter
    aussendienst verkaufer verkaeufer vertreter salesperson salesrep vendedor vendeur verkoper agent agents
    emergency notfall urgence emergencia noodgeval referrer responsabile responsavel agente venditore emergenza
    hausarzt arzt medecin medico huisarts doctor physician gp confiance
    angehorige angehoriger angehorigen relative relatives kin`,
  /** Not a customer's name and not a telephone, unless a word for one is next to it and the cells are some: \`Preferred Phone\`. */
  never: `isdn rnis email emails mail mails courriel correo skype im messenger imap
    user users username usernames benutzer utilisateur usuario usuarios gebruiker gebruikers login
    type types typ typen tipo tipos art label labels libelle etiqueta status statut estado etat state
    bemerkung bemerkungen note notes notiz notizen remark remarks remarque remarques comment comments commentaire
    commentaires kommentar kommentare opmerking opmerkingen observaciones nota notas notitie notities description
    beschreibung omschrijving descripcion
    date dates datum fecha birthday birthdate birth geburt geburts geburtstag geburtsdatum geburtsname geboortedatum naissance
    nacimiento origin origine origen origem herkunft herkomst ursprung ursprungs heimat nationality nationalitat nationalite
    nationalita nacionalidad nacionalidade nationaliteit citizenship citoyennete cittadinanza ciudadania staatsangehorigkeit
    anniversary jahrestag time times zeit zeiten uhrzeit hora heure tijd created updated modified changed
    erstellt geandert angelegt seit since depuis desde sinds activity contacted
    count counts anzahl aantal cantidad sum summe total totals amount betrag montant importe bedrag balance saldo umsatz
    revenue turnover price preis prix precio prijs cost kosten cout coste salary gehalt salaire salario rate tarif tarifa
    owner owners besitzer propietario proprietaire eigenaar personeel personeels staff
    employees employee mitarbeiter salaries salarie employes employe empleados empleado medewerkers medewerker
    personalnummer personalnr personeelsnummer submissions deals visits calls anrufe appels llamadas tickets sessions
    views clicks conversions enfants kinder hijos
    verified valid blocked gepruft geprueft optin optout opt consent allowed erlaubt einwilligung preferred preference bevorzugt
    score rating extension extensions nebenstelle toestel toestelnummer poste suffix suffixe
    phonetic yomi nickname spitzname maiden apodo bijnaam initials initialen initiales voorletters
    file fichier datei archivo bestand domain domaine dominio domein host server url web website webseite homepage
    internet page pagina site screen language sprache langue idioma taal photo foto image bild timezone zeitzone currency
    title titles titel titre titulo
    posta pec utente utenti utilizador
    etichetta stato commento commenti descrizione descricao
    osservazioni observacoes data nascita nascimento compleanno aniversario ora quantita quantidade importo prezzo preco
    fatturato dipendenti soprannome alcunha iniziali iniciais lingua titolo valuta moeda sito`,
  /** Something else, except where a word for a telephone is next to it. */
  thing: `house haus huis street strasse str rue calle straat address addresses adresse adress adressen adres direccion
    anschrift city town ort stadt ville ciudad plaats postal zip zipcode plz postleitzahl postcode cp pobox postfach
    region province provincia provincie bundesland county departement
    personal personals shipping delivery liefer lieferung lieferadresse livraison entrega levering
    anrede salutation civilite tratamiento aanhef position job function funktion fonction cargo functie role
    rolle occupation beruf profession profesion beroep department abteilung service departamento afdeling team
    industry branche secteur sector size groesse grosse taille gender geschlecht sexe genero geslacht religion
    television tv location floor room zimmer
    via indirizzo indirizzi citta comune cap regione localita civico frazione spedizione consegna ruolo professione
    reparto settore sesso genere rua morada endereco cidade localidade bairro concelho distrito cep profissao sexo`,
  /** A thing that has a number or a name of its own, a telephone among them: `Handy IMEI`. */
  document: `tax steuer steuers ust ustid ustidnr uid vat tva iva nif cif nie btw kvk siret siren naf ape handelsregister iln gln ean
    invoice invoices rechnung rechnungs facture factures facturation factura facturas factuur orders order auftrag
    auftrags bestell bestellung commande commandes pedido pedidos bestelling bestel contract contracts vertrag vertrags
    contrat contrats contrato contratos offer angebot angebots devis oferta offerte product produkt produit producto
    artikel article articulo item sku serial serien serie machine vehicle fahrzeug kennzeichen kfz immatriculation
    matricula kenteken bank banque banco bankleitzahl blz iban bic swift kontonummer kontonr kontoinhaber bankkonto
    bankverbindung rekening cuenta mandatsreferenz kreditkarte credit card karte kreditor kreditoren supplier suppliers
    vendor lieferant lieferanten fournisseur fournisseurs proveedor leverancier leveranciers insurance versicherung
    versicherungs assurance poliza polis passport ausweis dni ssn
    imei imsi iccid sim puk debit device model modell modele operator provider anbieter plan
    priority prioritat priorite prioridad prioriteit tag tags membership mitgliedschaft keyword keywords stichworter
    source quelle zusatz namenszusatz rabatt discount terms zahlung payment paiement pago betaling
    channel campaign event relation custom subject betreff directory mileage hobby stage lifecycle government organizational
    latitude longitude ip mac pin password passwort
    fattura fatture ordine ordini contratto contratti prodotto prodotti articolo fornitore fornitori banca partita piva
    fiscale veicolo targa assicurazione polizza documento carta fatura faturas encomenda encomendas produto artigo
    fornecedor veiculo cnpj cpf nipc contribuinte`,
  /** A key of the account's own in one word. */
  reference: `reference references referenz referenzen referencia referencias referentie ref referenznr kdnr kdnummer
    debitorenkonto kundenkonto kunnr
    riferimento rif`,
  /** Whose key it is, before or after a word for a key. Alone it is the customer. */
  customer: `customer customers kunde kunden kd kdn client clients cliente clientes klant klanten debitor debitoren debiteur
    debiteuren debtor deudor abonne abonnent abonnenten subscriber member members mitglied mitglieder membre adherent
    miembro socio lid leden lidmaatschap patient patienten paciente mandant mandanten tenant mieter huurder tiers tercero
    account accounts record external extern externe crm lead relatie relaties
    datensatz fiche registro pat
    clienti abbonato iscritto paziente inquilino associato assinante membro`,
  /** A person who works at the customer. The same before a word for a key. */
  contact: `contact contacts kontakt kontakte contacto contactos contactpersoon person persons personen persona personne
    persoon ansprechpartner kontaktperson interlocuteur inhaber
    contatto contatti contato contatos referente pessoa`,
  /** A number or a key of anything. */
  number: `number numbers num nbr no nr nrs n nummer nummern nummers numero numeros numer cislo`,
  /** A key of anything. */
  key: `code cod codes codigo konto compte codice codici conto conta`,
  /** A key, and never a telephone. */
  id: `id ids kennung key cle clave schlussel sleutel identifier identifiant identificador
    chiave chave identificativo`,
  given: `fname forename forenames firstname vorname vornamen givenname prenom prenoms nombres voornaam voornamen roepnaam
    fornamn fornavn imie etunimi keresztnev`,
  middle: `middlename tussenvoegsel tussenvoegsels voorvoegsel voorvoegsels zweitname`,
  family: `lname geslachtsnaam surname lastname nachname familienname zuname patronyme apellido apellidos achternaam familienaam familyname
    cognome cognomi apelido apelidos sobrenome sobrenomes efternamn etternavn efternavn nazwisko sukunimi prijmeni vezeteknev`,
  /** What a word for a name is then of. */
  first: `first given pila vor voor primeiro primo proprio`,
  second: `middle second additional deuxieme segundo segunda middelste zweiter weitere`,
  last: `last family ultimo`,
  /** Of a name a last name, else a group of customers. */
  lineage: `famille famiglia familia`,
  full: `name names namen nom noms nombre naam fullname full volledige completo complet
    intitule nome nomi nomes nominativo nazwa namn navn nimi nev jmeno`,
  /** A name as address books show it. */
  display: `display anzeigename angezeigter`,
  /** A second name of the same. */
  alias: `kurzname kurzbezeichnung matchcode suchname suchbegriff zoeknaam short kurz
    bezeichnung alias`,
  company: `company companies companyname firma firmen firmenname unternehmen unternehmens betrieb betriebs organisation
    organisations organization organizations corporation corporate societe entreprise raison denomination etablissement
    empresa compania rag razon denominacion organizacion bedrijf bedrijfs organisatie onderneming handels
    ditta azienda aziende impresa societa ragione denominazione organizzazione razao denominacao organizacao sociedade
    unvan foretag virksomhed yritys spolecnost`,
  segment: `segment segments segmento kundensegment group groups gruppe gruppen groupe groupes grupo grupos groep groepen
    category categories kategorie kategorien categorie categoria categorias
    gruppo gruppi`,
  /** Where or whose a telephone is: `Büronummer`, `Home Number`. */
  place: `business home private privat prive priv particular personnel personnelle work office buro buero bureau
    geschaft geschaeft geschafts geschaeftlich geschaftlich geschaftliche gesch geschaftl dienst dienstl dienstlich
    dienstliche beruflich trabajo travail domicile casa werk thuis zakelijk zakelijke main haupt principal principale
    primary primar hoofd other ander andere autre otro otra weiteres weiterer secondary car auto voiture coche day
    daytime evening tagsuber international inland ausland praxis arbeit kantoor pro professionnel oficina despacho
    ufficio lavoro privato principale abitazione aziendale altro escritorio trabalho outro residencia standard
    default internal interne intern komorkowy stacjonarny kontaktowy domowy prywatny alt alternate evening dom bur zweit ersatz`,
  /** Which or how: it changes nothing. */
  neutral: `radio with incl including inkl inklusive mit avec con incluido met value wert valeur valor waarde
    formatted associated social sociale comercial commercial commerciale dial billing perso nat naturl natural
    adressattyp keine app gl
    angabe of the de du des d la l le les el los las del di von van der die das den dem and und et y en e o or oder ou op im
    am auf te s sur zum zur a au aux bei m mr
    primer er paterno materno informations soc
    eu ue da do dos della dello delle degli dei personale legale`,
} as const;

type Role = keyof typeof vocabulary;

const roleOf = new Map(
  Object.entries(vocabulary).flatMap(([role, list]) =>
    list.split(/\s+/).map((word) => [word, role as Role] as const),
  ),
);
const LONGEST_WORD = Math.max(...[...roleOf.keys()].map((word) => word.length));

/**
 * Fax in other alphabets, and at the beginning of longer words (`Faxszám`, `Numer faksu`, `FAX番号`); and a telephone, next to
 * which it says less.
 */
const otherFax =
  /(?<!\p{Script=Latin})fa(?:x|ks)|факс|φαξ|传真|傳真|فاكس|فکس|نمابر|פקס|ファ[ック]*ス|팩스|แฟกซ์|โทรสาร|फैक्स|ֆաքս|ფაქსი/u;
const otherTelephone = /телефон|тел[.\s/]|мобильный|τηλ|电话|電話|هاتف|تلفن|تليفون|טלפון|전화|โทรศัพท์|फ़ोन/u;
/** The word alone, or beside one for a number: `Номер телефона`, `電話番号`. */
const onlyOtherTelephone = new RegExp(
  `^(?=.*(?:${otherTelephone.source}))(?:${otherTelephone.source}|τηλέφωνο|телефона|номер|番号|番號|号码|號碼|번호|رقم|ال|מספר|\\P{L})*$`,
  'u',
);
/** `Telefonszám`, `Telefonní číslo`; a word of the vocabulary says more. */
const longerTelephone = /(?<!\p{L})tele[fp]h?on/u;

/** Headers and their words are not longer, in characters; what a word is joined of takes time that grows with its length. */
const [LONGEST_HEADER, LONGEST_COMPOUND] = [500, 40];

/** The roles of the words in a header; undefined for a word that is unknown. */
function rolesIn(header: string): (Role | undefined)[] {
  const text = header
    .slice(0, LONGEST_HEADER)
    .replace(/(?<=\p{Ll}{2})(?=\p{Lu})/gu, ' ')
    .replace(/n[°º]|#/gi, ' nr ')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss');
  return (text.match(/\p{L}+/gu) ?? []).flatMap((word) => rolesOfWord(word) ?? [undefined]);
}

/** Shorter words are joined with others only at the end, as in `kundennr`. */
const SHORTEST_JOINED = 3;

/** The role of a word, or those of the words that it is made of. */
function rolesOfWord(word: string): Role[] | undefined {
  const role = roleOf.get(word);
  if (role !== undefined) return [role];
  if (word.length > LONGEST_COMPOUND) return undefined;
  for (let length = Math.min(LONGEST_WORD, word.length - 2); length >= SHORTEST_JOINED; length -= 1) {
    const first = roleOf.get(word.slice(0, length));
    if (first === undefined || ((first === 'neutral' || first === 'place') && length < 4)) continue;
    for (const joint of ['', 's', 'n', 'en', 'es']) {
      const tail = word.slice(length + joint.length);
      const isTail = tail.length >= SHORTEST_JOINED || tail === 'nr' || tail === 'id' || tail === 'no';
      const rest = isTail && word.startsWith(joint, length) ? rolesOfWord(tail) : undefined;
      if (rest) return [first, ...rest];
    }
  }
  return undefined;
}

/** Whether a column is that of codes before numbers: `Vorwahl`, `Phone: area code`. */
export function namesAreaCodes(header: string): boolean {
  const roles = rolesIn(header);
  return (roles.includes('prefix') || roles.includes('country')) && !roles.some(isNotOfCustomer);
}

/** Whether a column may be that of the customers' countries: `Land`, `Billing Country`, but not `Bank Country`. */
export function namesCountries(header: string): boolean {
  const roles = rolesIn(header);
  const isOther = roles.includes('document') && !/rechnung|factur|fatt?ur|invoice/i.test(header);
  return roles.includes('country') && !roles.some(isNotOfCustomer) && !isOther;
}

const isNotOfCustomer = (role: Role | undefined) =>
  role === 'elsewhere' || role === 'others' || role === 'never';

/**
 * What a header says its column holds. `perhaps-numbers`: telephones, but perhaps of others, or keys of telephones and their contracts.
 * `contact-number`: a telephone or a key. `place-number`: a telephone, or something that is no key of a customer. `customer`:
 * the customer, by name or by key. `display`: the name of a person, or of
 * whatever else an address book lists. `key`: a number or a key of anything. `alias`: a name, if there is no better one. `none`:
 * something else. `unknown`: it says nothing that we know.
 */
export type Meaning =
  | 'numbers'
  | 'perhaps-numbers'
  | 'contact-number'
  | 'place-number'
  | 'reference'
  | 'given'
  | 'middle'
  | 'family'
  | 'full'
  | 'company'
  | 'display'
  | 'alias'
  | 'segment'
  | 'customer'
  | 'key'
  | 'none'
  | 'unknown';

export function meaningOf(header: string): Meaning {
  if (header.length > LONGEST_HEADER) return 'unknown';
  if (isOfOtherInBrackets(header)) return 'none';
  const whole = meaningOfWords(header);
  if (whole !== 'none' && whole !== 'perhaps-numbers') return whole;
  // `Phone / Email`, `Telefon und Fax` and `Telefon (Notfall)`, but not `Téléphone en cas d'urgence`.
  const separator = rolesIn(header).includes('others')
    ? /[/&+]/
    : /[/&+,]|[\s_-](?:und|u\.?|and|et|en|y|e|oder|or|ou|o)[\s_]/i;
  const parts = withoutBrackets(header).split(separator);
  return parts.some((part) => meaningOfWords(part) === 'numbers') ? 'numbers' : whole;
}

/** The words of a header without those for telephones: `Tél. commercial` is of whom a column `Commercial` names. */
export const withoutTelephoneWords = (header: string): string => wordsBut(header, ['telephone', 'number']);

/** Whose name a header says its column has: `shipping` of `shipping_last_name`; undefined for `Name` and `shipping`. */
export function whoseName(header: string): string | undefined {
  const whose = wordsBut(header, ['given', 'family', 'full', 'first', 'last']);
  return whose === '' || whose === wordsBut(header, []) ? undefined : whose;
}

function wordsBut(header: string, some: readonly Role[]): string {
  const isLeftOut = (word: string) =>
    rolesIn(word).every((role) => role !== undefined && some.includes(role)) ||
    /^(?:de|du|des|del|di|do|da|of|van|von|der)$/.test(word);
  return (header.toLowerCase().match(/\p{L}+/gu) ?? []).filter((word) => !isLeftOut(word)).join(' ');
}

/** `Phone (Work Fax)`, but not `Telefon (auch Fax)`. */
const isOfOtherInBrackets = (header: string): boolean =>
  [...header.matchAll(/[([]([^)\]]*)/g)].some(
    ([, text = '']) => isSecretary.test(text) || (rolesIn(text).includes('elsewhere') && !isAlso.test(text)),
  );
const withoutBrackets = (header: string): string => header.replace(/[([][^)\]]*[)\]]?/g, ' ');

const isSecretary = /^\s*(?:sekretariat|secr[ée]tariat|secretariaa?t|secretar[ií]a|segreteria)\b/iu;
/** The telephone is the person's all the same. */
const isAlso =
  /[+/&]|(?<!\p{L})(?:und|auch|oder|kein|keine|ohne|and|also|or|no|not|et|ou|pas|sans|y|o|sin|en|of|geen|zonder)(?!\p{L})/iu;

/** Where a telephone is, as address books of telephone systems name their columns. */
const telephonePlace =
  /^(?:home|business|work|office|other|privat|private|dienstlich|geschäftlich|büro|bureau|domicile|travail|oficina|trabajo|casa|thuis|kantoor|werk|zakelijk|ufficio|lavoro|alt|alternate|secondary|evening|dom|bur|pro|perso)\.?\s?\d?$/iu;

/** The customer of an owner, and somebody else for most others. */
const isTenant = /tenant|mieter|huurder|inquilin/;

const isKeyRole = (role: Role | undefined) => role === 'number' || role === 'key';

function meaningOfWords(header: string): Meaning {
  const lower = header.normalize('NFKC').toLowerCase().replaceAll('ά', 'α');
  const all = rolesIn(header);
  if (otherFax.test(lower))
    return otherTelephone.test(lower) || all.includes('telephone') ? 'perhaps-numbers' : 'none';
  const roles = new Set(all);
  const has = (...some: Role[]) => some.some((role) => roles.has(role));
  const hasUnknown = roles.has(undefined);
  // The last name of whoever has no other.
  if (isBirthName(header)) return 'alias';
  if (has('elsewhere')) return 'none';
  if (has('others', 'never') && !has('telephone')) return 'none';
  if (has('telephone', 'adjective')) {
    if (has('segment', 'id', 'reference')) return 'none';
    if (has('others', 'never', 'lineage') || isTenant.test(lower)) return 'perhaps-numbers';
    // `Telefon Kundennummer`, but not `Kunden-Telefonnummer`.
    const hasKey = all.some((role, at) => role === 'customer' && isKeyRole(all[at + 1]));
    const isOther = hasUnknown || hasKey || has('document') || (!has('telephone') && has('customer'));
    return isOther ? 'perhaps-numbers' : 'numbers';
  }
  if (has('thing', 'document')) return 'none';
  if (has('line')) return 'perhaps-numbers';
  if (has('prefix', 'country')) return 'none';
  if (has('segment', 'customer') && has('id') && has('full')) return has('segment') ? 'none' : 'reference';
  if (/^a\/c$/i.test(header.trim())) return 'reference';
  // CRMs call the company of a contact so.
  if (/^account[\s_]?name$/i.test(header.trim())) return 'company';
  const isKey = has('number', 'key', 'id');
  // `Weitere Nummer`, but not `Weitere Vornamen`.
  if (has('number') && has('second') && all.length === 2) return 'place-number';
  const part = has('segment') && has('full') ? undefined : namePart(has);
  if (has('lineage') && !part && !hasUnknown) return isKey ? 'none' : 'segment';
  // `Name of the dog` is not that of a customer, but better than nothing.
  if (part) return hasUnknown ? 'alias' : part;
  if (has('segment')) return hasUnknown ? 'unknown' : 'segment';
  if (has('reference') || (isKey && has('customer', 'contact'))) {
    if (hasUnknown) return 'key';
    return has('reference', 'id', 'customer') ? 'reference' : 'contact-number';
  }
  if (hasUnknown && onlyOtherTelephone.test(lower)) return 'numbers';
  if (hasUnknown && (otherTelephone.test(lower) || longerTelephone.test(lower))) return 'perhaps-numbers';
  if (hasUnknown) return has('company') ? 'alias' : 'unknown';
  if (has('company')) return isKey ? 'none' : 'company';
  if (has('contact', 'alias', 'display')) return 'alias';
  if (has('customer')) return 'customer';
  if (has('number') && has('place') && !has('key', 'id')) return 'place-number';
  if (isKey) return 'key';
  return telephonePlace.test(header.trim()) ? 'place-number' : 'unknown';
}

export type NamePart = 'given' | 'middle' | 'family' | 'full';

/** The part of a name that a column with this header and meaning holds: also `Guest First Name`, which has another word. */
export function namePartOf(header: string, meaning: Meaning): NamePart | undefined {
  if (isBirthName(header)) return 'family';
  if (meaning !== 'alias') return nameParts.find((part) => part === meaning);
  const roles = new Set(rolesIn(header));
  const part = namePart((...some) => some.some((role) => roles.has(role)));
  return nameParts.find((one) => one === part);
}

const isBirthName = (header: string) => /^nom de (?:naissance|jeune fille)$/i.test(header.trim());

const nameParts = ['given', 'middle', 'family', 'full'] as const;

function namePart(has: (...roles: Role[]) => boolean): Meaning | undefined {
  if (has('alias') && has('full')) return 'alias';
  if (has('display') && !has('company')) return 'display';
  const isGiven = has('given', 'first');
  const isFamily = has('family', 'last') || (has('lineage') && has('full'));
  if ((isGiven && isFamily) || (has('full') && has('given', 'family') && !has('first', 'second', 'last')))
    return 'full';
  if (isFamily) return 'family';
  if (has('middle', 'second')) return 'middle';
  if (isGiven) return 'given';
  if (has('full')) return has('company') ? 'company' : 'full';
  return undefined;
}
