import { html } from '../kit/html.ts';

/** A value is a text, or a function of what the text contains. */
export const en = {
  /** A BCP 47 tag; and the language's own name. */
  language: 'en',
  languageName: 'English',
  /** The locale of dates and numbers. */
  locale: 'en-GB',

  layout: {
    dashboard: 'Dashboard',
    calls: 'Calls',
    callBack: 'To call back',
    reports: 'Reports',
    customers: 'Customers',
    integrations: 'Integrations',
    apiLog: 'API log',
    users: 'Users',
    main: 'Main',
    skipToContent: 'Skip to content',
    skipToCalls: 'Skip to calls',
    signOut: 'Sign out',
    noScript: 'Live calls are shown here when JavaScript is on.',
  },

  /** The texts of the bar's script (client/words.js): plain texts with {places}, as functions cannot be sent to it. */
  bar: {},

  kit: {
    copy: 'Copy',
    copied: 'Copied',
    pressCopy: 'Press Ctrl+C',
    newer: 'Newer',
    older: 'Older',
    pages: 'Pages',
    searchedBack: (to: string) => `This search takes longer. Searched back to ${to} so far.`,
    searchedForward: (to: string) => `This search takes longer. Searched forward to ${to} so far.`,
    continueSearching: 'Continue searching',
  },

  formErrors: {
    required: 'Please fill in this field.',
    invalid: 'This contains characters that cannot be used here.',
    tooLong: (max: number) => `At most ${max} characters.`,
    invisible: 'The name must not have invisible characters.',
    mixedAlphabets: 'A word of the name mixes Latin letters with Greek or Cyrillic ones that look the same.',
    passwordShort: 'The password must have at least 12 characters. Several words are easy to remember.',
    passwordLong: 'The password must have at most 256 characters.',
    passwordEasy: 'This password is too easy to guess.',
    wholeNumber: 'Enter a whole number, such as 10.',
    notANumber: (text: string) => `Not a valid phone number: “${text}”.`,
    manyNumbers: 'At most 100 numbers.',
    nameTaken: 'This name is already in use.',
    wrongPassword: 'Wrong password.',
  },

  errors: {
    titles: {
      notPossible: 'Not possible',
      noAccess: 'No access',
      notFound: 'Not found',
      failed: 'Something went wrong',
    },
    backToDashboard: 'Back to dashboard',
    failed: 'An error occurred on the server. It has been logged.',
    notPossible: 'This request could not be processed.',
    tooLarge: 'The form is too large.',
    noStorage: 'The database cannot be reached at the moment. Try again shortly.',
    formExpired: 'This form has expired. Go back, reload the page and submit the form again.',
    onlyAdministrators: 'This page is only for administrators.',
    otherSite: 'This request came from a page of another site and was refused.',
    tooManyAttempts: 'Too many attempts. Try again in 15 minutes.',
    signInBusy: 'Too many people are signing in at the moment. Try again.',
    searchBusy: 'Too many searches are waiting. Try again.',
    tooManyAtATime: (max: number) => `Too many of these at a time (at most ${max}). Try again later.`,
    unknownHost: (host: string) =>
      `This service does not know the name ${host}. Set SERVICE_HOSTS to the names that it is reached by.`,
    noIntegration: 'Integration not found.',
    noCustomer: 'Customer not found. It may have been removed.',
    noUser: 'User not found.',
    noEntry: 'Entry not found. It may have been deleted.',
    lastAdministrator: 'The account needs at least one administrator.',
    ownRole: 'You cannot change your own role.',
    removeYourself: 'You cannot remove yourself.',
  },

  signIn: {
    title: 'Sign in',
    name: 'Name',
    password: 'Password',
    wrong: 'Wrong name or password.',
    code: 'Code',
    codeHint: 'From your authenticator app, or one of your recovery codes.',
    wrongCode: 'Wrong code, or it was used before.',
    cancel: 'Cancel',
    noPassword: 'No password yet or forgotten?',
    askForLink:
      'Ask an administrator of your account for a link (under Users), or run this command on the server:',
    aProgram: 'Connecting a program?',
    programHelp:
      () => html`If your program was sent here, its request had no valid token. Send the integration’s token
      as <code>Authorization: Bearer</code>, and <code>Accept: application/json</code> to get a 401 response instead of
      this page. The token is shown under Integrations, and by this command:`,
    signingIn: 'Signing in …',
    linkEnded: 'This link is no longer valid. Ask for a new one.',
  },

  account: {
    language: 'Language',
    asInBrowser: 'As in the browser',
    save: 'Save',
  },
};
