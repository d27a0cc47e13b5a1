import { html } from '../kit/html.ts';
import type { Words } from './words.ts';

export const nl: Words = {
  language: 'nl',
  languageName: 'Nederlands',
  locale: 'nl-NL',

  layout: {
    dashboard: 'Overzicht',
    calls: 'Gesprekken',
    callBack: 'Terugbellen',
    reports: 'Rapporten',
    customers: 'Klanten',
    integrations: 'Koppelingen',
    apiLog: 'API-logboek',
    users: 'Gebruikers',
    main: 'Hoofdmenu',
    skipToContent: 'Naar de inhoud',
    skipToCalls: 'Naar de gesprekken',
    signOut: 'Afmelden',
    noScript: 'Lopende gesprekken worden hier getoond als JavaScript is ingeschakeld.',
  },

  bar: {},

  kit: {
    copy: 'Kopiëren',
    copied: 'Gekopieerd',
    pressCopy: 'Druk op Ctrl+C',
    newer: 'Nieuwer',
    older: 'Ouder',
    pages: 'Pagina’s',
    searchedBack: (to) => `Deze zoekopdracht duurt langer. Tot nu toe terug gezocht tot ${to}.`,
    searchedForward: (to) => `Deze zoekopdracht duurt langer. Tot nu toe vooruit gezocht tot ${to}.`,
    continueSearching: 'Verder zoeken',
  },

  formErrors: {
    required: 'Vul dit veld in.',
    invalid: 'Dit bevat tekens die hier niet mogelijk zijn.',
    tooLong: (max) => `Maximaal ${max} tekens.`,
    invisible: 'De naam mag geen onzichtbare tekens bevatten.',
    mixedAlphabets:
      'Een woord van de naam mengt Latijnse letters met Griekse of Cyrillische die er hetzelfde uitzien.',
    passwordShort:
      'Het wachtwoord moet minstens 12 tekens lang zijn. Meerdere woorden zijn makkelijk te onthouden.',
    passwordLong: 'Het wachtwoord mag maximaal 256 tekens lang zijn.',
    passwordEasy: 'Dit wachtwoord is te makkelijk te raden.',
    wholeNumber: 'Voer een geheel getal in, bijvoorbeeld 10.',
    notANumber: (text) => `Geen geldig telefoonnummer: ‘${text}’.`,
    manyNumbers: 'Maximaal 100 nummers.',
    nameTaken: 'Deze naam is al in gebruik.',
    wrongPassword: 'Onjuist wachtwoord.',
  },

  errors: {
    titles: {
      notPossible: 'Niet mogelijk',
      noAccess: 'Geen toegang',
      notFound: 'Niet gevonden',
      failed: 'Er is iets misgegaan',
    },
    backToDashboard: 'Terug naar het overzicht',
    failed: 'Er is een fout opgetreden op de server. Deze is vastgelegd.',
    notPossible: 'Dit verzoek kon niet worden verwerkt.',
    tooLarge: 'Het formulier is te groot.',
    noStorage: 'De database is op dit moment niet bereikbaar. Probeer het zo dadelijk opnieuw.',
    formExpired:
      'Dit formulier is verlopen. Ga terug, laad de pagina opnieuw en verstuur het formulier nogmaals.',
    onlyAdministrators: 'Deze pagina is alleen voor beheerders.',
    otherSite: 'Dit verzoek kwam van een pagina van een andere website en is geweigerd.',
    tooManyAttempts: 'Te veel pogingen. Probeer het over 15 minuten opnieuw.',
    signInBusy: 'Er melden zich op dit moment te veel mensen tegelijk aan. Probeer het opnieuw.',
    searchBusy: 'Er wachten op dit moment te veel zoekopdrachten. Probeer het opnieuw.',
    tooManyAtATime: (max) => `Te veel tegelijk (maximaal ${max}). Probeer het later opnieuw.`,
    unknownHost: (host) =>
      `Deze service kent de naam ${host} niet. Zet in SERVICE_HOSTS de namen waaronder de service bereikbaar is.`,
    noIntegration: 'Koppeling niet gevonden.',
    noCustomer: 'Klant niet gevonden. Misschien is de klant verwijderd.',
    noUser: 'Gebruiker niet gevonden.',
    noEntry: 'Regel niet gevonden. Misschien is de regel verwijderd.',
    lastAdministrator: 'Het account heeft minstens één beheerder nodig.',
    ownRole: 'U kunt uw eigen rol niet wijzigen.',
    removeYourself: 'U kunt uzelf niet verwijderen.',
  },

  signIn: {
    title: 'Aanmelden',
    name: 'Naam',
    password: 'Wachtwoord',
    wrong: 'Onjuiste naam of onjuist wachtwoord.',
    code: 'Code',
    codeHint: 'Uit uw authenticator-app, of een van uw herstelcodes.',
    wrongCode: 'De code is onjuist of al gebruikt.',
    cancel: 'Annuleren',
    noPassword: 'Nog geen wachtwoord, of vergeten?',
    askForLink:
      'Vraag een beheerder van uw account om een link (onder Gebruikers), of voer op de server deze opdracht uit:',
    aProgram: 'Wilt u een programma koppelen?',
    programHelp:
      () => html`Is uw programma hierheen gestuurd, dan had het verzoek geen geldig token. Stuur het token van de
      koppeling als <code>Authorization: Bearer</code>, en <code>Accept: application/json</code> om een antwoord met
      status 401 te krijgen in plaats van deze pagina. Het token staat onder Koppelingen, en deze opdracht toont het:`,
    signingIn: 'Bezig met aanmelden …',
    linkEnded: 'Deze link is niet meer geldig. Vraag om een nieuwe.',
  },

  account: {
    language: 'Taal',
    asInBrowser: 'Zoals in de browser',
    save: 'Opslaan',
  },
};
