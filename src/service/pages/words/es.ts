import { html } from '../kit/html.ts';
import type { Words } from './words.ts';

export const es: Words = {
  language: 'es',
  languageName: 'Español',
  locale: 'es-ES',

  layout: {
    dashboard: 'Resumen',
    calls: 'Llamadas',
    callBack: 'Por devolver',
    reports: 'Informes',
    customers: 'Clientes',
    integrations: 'Integraciones',
    apiLog: 'Registro de la API',
    users: 'Usuarios',
    main: 'Menú principal',
    skipToContent: 'Ir al contenido',
    skipToCalls: 'Ir a las llamadas',
    signOut: 'Cerrar sesión',
    noScript: 'Las llamadas en curso se muestran aquí si JavaScript está activado.',
  },

  bar: {},

  kit: {
    copy: 'Copiar',
    copied: 'Copiado',
    pressCopy: 'Pulse Ctrl+C',
    newer: 'Más recientes',
    older: 'Más antiguos',
    pages: 'Páginas',
    searchedBack: (to) => `Esta búsqueda tarda más. De momento se ha buscado hacia atrás hasta el ${to}.`,
    searchedForward: (to) =>
      `Esta búsqueda tarda más. De momento se ha buscado hacia delante hasta el ${to}.`,
    continueSearching: 'Seguir buscando',
  },

  formErrors: {
    required: 'Rellene este campo.',
    invalid: 'Contiene caracteres que aquí no se pueden usar.',
    tooLong: (max) => `Como máximo ${max} caracteres.`,
    invisible: 'El nombre no puede contener caracteres invisibles.',
    mixedAlphabets:
      'Una palabra del nombre mezcla letras latinas con letras griegas o cirílicas de igual aspecto.',
    passwordShort:
      'La contraseña debe tener al menos 12 caracteres. Varias palabras son fáciles de recordar.',
    passwordLong: 'La contraseña debe tener como máximo 256 caracteres.',
    passwordEasy: 'Esta contraseña es demasiado fácil de adivinar.',
    wholeNumber: 'Introduzca un número entero, por ejemplo 10.',
    notANumber: (text) => `No es un número de teléfono válido: «${text}».`,
    manyNumbers: 'Como máximo 100 números.',
    nameTaken: 'Este nombre ya está en uso.',
    wrongPassword: 'Contraseña incorrecta.',
  },

  errors: {
    titles: {
      notPossible: 'No es posible',
      noAccess: 'Sin acceso',
      notFound: 'No encontrado',
      failed: 'Se ha producido un error',
    },
    backToDashboard: 'Volver al resumen',
    failed: 'Se ha producido un error en el servidor. Ha quedado registrado.',
    notPossible: 'No se ha podido procesar esta solicitud.',
    tooLarge: 'El formulario es demasiado grande.',
    noStorage: 'En este momento no se puede acceder a la base de datos. Vuelva a intentarlo en breve.',
    formExpired:
      'Este formulario ha caducado. Vuelva atrás, recargue la página y envíe el formulario de nuevo.',
    onlyAdministrators: 'Esta página es solo para administradores.',
    otherSite: 'Esta solicitud procedía de una página de otro sitio y se ha rechazado.',
    tooManyAttempts: 'Demasiados intentos. Vuelva a intentarlo dentro de 15 minutos.',
    signInBusy: 'Demasiadas personas están iniciando sesión en este momento. Vuelva a intentarlo.',
    searchBusy: 'Hay demasiadas búsquedas en espera. Vuelva a intentarlo.',
    tooManyAtATime: (max) =>
      `Demasiadas operaciones a la vez (como máximo ${max}). Vuelva a intentarlo más tarde.`,
    unknownHost: (host) =>
      `Este servicio no conoce el nombre ${host}. Indique en SERVICE_HOSTS los nombres con los que se accede a él.`,
    noIntegration: 'Integración no encontrada.',
    noCustomer: 'Cliente no encontrado. Puede que se haya eliminado.',
    noUser: 'Usuario no encontrado.',
    noEntry: 'Entrada no encontrada. Puede que se haya eliminado.',
    lastAdministrator: 'La cuenta necesita al menos un administrador.',
    ownRole: 'No puede cambiar su propio rol.',
    removeYourself: 'No puede eliminarse a sí mismo.',
  },

  signIn: {
    title: 'Iniciar sesión',
    name: 'Nombre',
    password: 'Contraseña',
    wrong: 'Nombre o contraseña incorrectos.',
    code: 'Código',
    codeHint: 'De su aplicación de autenticación, o uno de sus códigos de recuperación.',
    wrongCode: 'El código es incorrecto o ya se ha usado.',
    cancel: 'Cancelar',
    noPassword: '¿Aún no tiene contraseña o la ha olvidado?',
    askForLink:
      'Pida un enlace a un administrador de su cuenta (en Usuarios), o ejecute este comando en el servidor:',
    aProgram: '¿Quiere conectar un programa?',
    programHelp:
      () => html`Si su programa ha llegado aquí, su solicitud no llevaba un token válido. Envíe el token de la
      integración como <code>Authorization: Bearer</code>, y <code>Accept: application/json</code> para recibir una
      respuesta 401 en lugar de esta página. El token está en Integraciones, y este comando lo muestra:`,
    signingIn: 'Iniciando sesión …',
    linkEnded: 'Este enlace ya no es válido. Pida uno nuevo.',
  },

  account: {
    language: 'Idioma',
    asInBrowser: 'El del navegador',
    save: 'Guardar',
  },
};
