import { html } from '../kit/html.ts';
import type { Words } from './words.ts';

export const de: Words = {
  language: 'de',
  languageName: 'Deutsch',
  locale: 'de-DE',

  layout: {
    dashboard: 'Übersicht',
    calls: 'Anrufe',
    callBack: 'Rückrufe',
    reports: 'Auswertungen',
    customers: 'Kunden',
    integrations: 'Integrationen',
    apiLog: 'API-Protokoll',
    users: 'Benutzer',
    main: 'Hauptmenü',
    skipToContent: 'Zum Inhalt',
    skipToCalls: 'Zu den Anrufen',
    signOut: 'Abmelden',
    noScript: 'Laufende Anrufe werden hier angezeigt, wenn JavaScript eingeschaltet ist.',
  },

  bar: {},

  kit: {
    copy: 'Kopieren',
    copied: 'Kopiert',
    pressCopy: 'Strg+C drücken',
    newer: 'Neuere',
    older: 'Ältere',
    pages: 'Seiten',
    searchedBack: (to) => `Diese Suche dauert länger. Bisher zurück bis ${to} durchsucht.`,
    searchedForward: (to) => `Diese Suche dauert länger. Bisher vorwärts bis ${to} durchsucht.`,
    continueSearching: 'Weitersuchen',
  },

  formErrors: {
    required: 'Bitte füllen Sie dieses Feld aus.',
    invalid: 'Die Eingabe enthält Zeichen, die hier nicht möglich sind.',
    tooLong: (max) => `Höchstens ${max} Zeichen.`,
    invisible: 'Der Name darf keine unsichtbaren Zeichen enthalten.',
    mixedAlphabets:
      'Ein Wort des Namens mischt lateinische Buchstaben mit gleich aussehenden griechischen oder kyrillischen.',
    passwordShort:
      'Das Passwort muss mindestens 12 Zeichen lang sein. Mehrere Wörter lassen sich leicht merken.',
    passwordLong: 'Das Passwort darf höchstens 256 Zeichen lang sein.',
    passwordEasy: 'Dieses Passwort ist zu leicht zu erraten.',
    wholeNumber: 'Geben Sie eine ganze Zahl ein, zum Beispiel 10.',
    notANumber: (text) => `Keine gültige Telefonnummer: „${text}“.`,
    manyNumbers: 'Höchstens 100 Nummern.',
    nameTaken: 'Dieser Name wird bereits verwendet.',
    wrongPassword: 'Falsches Passwort.',
  },

  errors: {
    titles: {
      notPossible: 'Nicht möglich',
      noAccess: 'Kein Zugriff',
      notFound: 'Nicht gefunden',
      failed: 'Ein Fehler ist aufgetreten',
    },
    backToDashboard: 'Zurück zur Übersicht',
    failed: 'Auf dem Server ist ein Fehler aufgetreten. Er wurde protokolliert.',
    notPossible: 'Diese Anfrage konnte nicht bearbeitet werden.',
    tooLarge: 'Das Formular ist zu groß.',
    noStorage: 'Die Datenbank ist zurzeit nicht erreichbar. Versuchen Sie es gleich noch einmal.',
    formExpired:
      'Dieses Formular ist abgelaufen. Gehen Sie zurück, laden Sie die Seite neu und senden Sie das Formular noch einmal ab.',
    onlyAdministrators: 'Diese Seite ist nur für Administratoren.',
    otherSite: 'Diese Anfrage kam von der Seite einer anderen Website und wurde abgelehnt.',
    tooManyAttempts: 'Zu viele Versuche. Versuchen Sie es in 15 Minuten noch einmal.',
    signInBusy: 'Zurzeit melden sich zu viele Personen gleichzeitig an. Versuchen Sie es noch einmal.',
    searchBusy: 'Zurzeit warten zu viele Suchen. Versuchen Sie es noch einmal.',
    tooManyAtATime: (max) =>
      `Zu viele Vorgänge gleichzeitig (höchstens ${max}). Versuchen Sie es später noch einmal.`,
    unknownHost: (host) =>
      `Dieser Dienst kennt den Namen ${host} nicht. Tragen Sie in SERVICE_HOSTS die Namen ein, unter denen er erreichbar ist.`,
    noIntegration: 'Integration nicht gefunden.',
    noCustomer: 'Kunde nicht gefunden. Vielleicht wurde er entfernt.',
    noUser: 'Benutzer nicht gefunden.',
    noEntry: 'Eintrag nicht gefunden. Vielleicht wurde er gelöscht.',
    lastAdministrator: 'Das Konto braucht mindestens einen Administrator.',
    ownRole: 'Ihre eigene Rolle können Sie nicht ändern.',
    removeYourself: 'Sie können sich nicht selbst entfernen.',
  },

  signIn: {
    title: 'Anmelden',
    name: 'Name',
    password: 'Passwort',
    wrong: 'Name oder Passwort ist falsch.',
    code: 'Code',
    codeHint: 'Aus Ihrer Authenticator-App, oder einer Ihrer Wiederherstellungscodes.',
    wrongCode: 'Der Code ist falsch oder wurde schon verwendet.',
    cancel: 'Abbrechen',
    noPassword: 'Noch kein Passwort, oder vergessen?',
    askForLink:
      'Bitten Sie einen Administrator Ihres Kontos um einen Link (unter Benutzer), oder führen Sie auf dem Server diesen Befehl aus:',
    aProgram: 'Möchten Sie ein Programm anbinden?',
    programHelp:
      () => html`Wurde Ihr Programm hierher geleitet, hatte seine Anfrage kein gültiges Token. Senden Sie das Token der
      Integration als <code>Authorization: Bearer</code>, dazu <code>Accept: application/json</code>, um statt dieser
      Seite eine Antwort mit Status 401 zu erhalten. Das Token finden Sie unter Integrationen und mit diesem Befehl:`,
    signingIn: 'Anmeldung läuft …',
    linkEnded: 'Dieser Link ist nicht mehr gültig. Bitten Sie um einen neuen.',
  },

  account: {
    language: 'Sprache',
    asInBrowser: 'Wie im Browser',
    save: 'Speichern',
  },
};
