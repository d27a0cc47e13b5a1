/** The program refuses to use a database, for a reason that is not an error of SQLite. The message is one line for the operator. */
export class StorageRefused extends Error {
  override readonly name = 'StorageRefused';
}
