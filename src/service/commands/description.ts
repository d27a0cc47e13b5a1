/** In a file of its own, so that the list of all commands can name `service` without loading it. */
export const serviceDescription =
  'run the Call Integration API service, or manage its accounts and customers';
