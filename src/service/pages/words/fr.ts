import { html } from '../kit/html.ts';
import type { Words } from './words.ts';

export const fr: Words = {
  language: 'fr',
  languageName: 'Français',
  locale: 'fr-FR',

  layout: {
    dashboard: 'Tableau de bord',
    calls: 'Appels',
    callBack: 'À rappeler',
    reports: 'Rapports',
    customers: 'Clients',
    integrations: 'Intégrations',
    apiLog: 'Journal de l’API',
    users: 'Utilisateurs',
    main: 'Menu principal',
    skipToContent: 'Aller au contenu',
    skipToCalls: 'Aller aux appels',
    signOut: 'Se déconnecter',
    noScript: 'Les appels en cours s’affichent ici lorsque JavaScript est activé.',
  },

  bar: {},

  kit: {
    copy: 'Copier',
    copied: 'Copié',
    pressCopy: 'Appuyez sur Ctrl+C',
    newer: 'Plus récents',
    older: 'Plus anciens',
    pages: 'Pages',
    searchedBack: (to) => `Cette recherche prend du temps. Pour l’instant, jusqu’au ${to} en arrière.`,
    searchedForward: (to) => `Cette recherche prend du temps. Pour l’instant, jusqu’au ${to} en avant.`,
    continueSearching: 'Poursuivre la recherche',
  },

  formErrors: {
    required: 'Veuillez remplir ce champ.',
    invalid: 'La saisie contient des caractères non autorisés ici.',
    tooLong: (max) => `${max} caractères au maximum.`,
    invisible: 'Le nom ne doit pas contenir de caractères invisibles.',
    mixedAlphabets:
      'Un mot du nom mélange des lettres latines avec des lettres grecques ou cyrilliques d’apparence identique.',
    passwordShort:
      'Le mot de passe doit comporter au moins 12 caractères. Plusieurs mots sont faciles à retenir.',
    passwordLong: 'Le mot de passe doit comporter au plus 256 caractères.',
    passwordEasy: 'Ce mot de passe est trop facile à deviner.',
    wholeNumber: 'Saisissez un nombre entier, par exemple 10.',
    notANumber: (text) => `Numéro de téléphone non valide : « ${text} ».`,
    manyNumbers: '100 numéros au maximum.',
    nameTaken: 'Ce nom est déjà utilisé.',
    wrongPassword: 'Mot de passe incorrect.',
  },

  errors: {
    titles: {
      notPossible: 'Impossible',
      noAccess: 'Accès refusé',
      notFound: 'Introuvable',
      failed: 'Une erreur s’est produite',
    },
    backToDashboard: 'Retour au tableau de bord',
    failed: 'Une erreur s’est produite sur le serveur. Elle a été consignée.',
    notPossible: 'Cette demande n’a pas pu être traitée.',
    tooLarge: 'Le formulaire est trop volumineux.',
    noStorage: 'La base de données est momentanément inaccessible. Réessayez dans un instant.',
    formExpired: 'Ce formulaire a expiré. Revenez en arrière, rechargez la page et renvoyez le formulaire.',
    onlyAdministrators: 'Cette page est réservée aux administrateurs.',
    otherSite: 'Cette demande provenait d’une page d’un autre site et a été refusée.',
    tooManyAttempts: 'Trop de tentatives. Réessayez dans 15 minutes.',
    signInBusy: 'Trop de personnes se connectent en ce moment. Réessayez.',
    searchBusy: 'Trop de recherches sont en attente. Réessayez.',
    tooManyAtATime: (max) => `Trop d’opérations simultanées (${max} au maximum). Réessayez plus tard.`,
    unknownHost: (host) =>
      `Ce service ne connaît pas le nom ${host}. Indiquez dans SERVICE_HOSTS les noms sous lesquels il est accessible.`,
    noIntegration: 'Intégration introuvable.',
    noCustomer: 'Client introuvable. Il a peut-être été supprimé.',
    noUser: 'Utilisateur introuvable.',
    noEntry: 'Entrée introuvable. Elle a peut-être été supprimée.',
    lastAdministrator: 'Le compte doit avoir au moins un administrateur.',
    ownRole: 'Vous ne pouvez pas modifier votre propre rôle.',
    removeYourself: 'Vous ne pouvez pas vous supprimer vous-même.',
  },

  signIn: {
    title: 'Connexion',
    name: 'Nom',
    password: 'Mot de passe',
    wrong: 'Nom ou mot de passe incorrect.',
    code: 'Code',
    codeHint: 'Celui de votre application d’authentification, ou l’un de vos codes de secours.',
    wrongCode: 'Code incorrect ou déjà utilisé.',
    cancel: 'Annuler',
    noPassword: 'Pas encore de mot de passe, ou oublié ?',
    askForLink:
      'Demandez un lien à un administrateur de votre compte (sous Utilisateurs), ou exécutez cette commande sur le serveur :',
    aProgram: 'Vous connectez un programme ?',
    programHelp:
      () => html`Si votre programme est arrivé ici, sa requête n’avait pas de jeton valide. Envoyez le jeton de
      l’intégration dans <code>Authorization: Bearer</code>, et <code>Accept: application/json</code> pour recevoir une
      réponse 401 au lieu de cette page. Le jeton se trouve sous Intégrations, et cette commande l’affiche :`,
    signingIn: 'Connexion en cours …',
    linkEnded: 'Ce lien n’est plus valable. Demandez-en un nouveau.',
  },

  account: {
    language: 'Langue',
    asInBrowser: 'Celle du navigateur',
    save: 'Enregistrer',
  },
};
