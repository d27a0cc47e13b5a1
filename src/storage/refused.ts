/** A start that was refused by a rule of ours; the message is one line for people. */
export class StorageRefused extends Error {
  override readonly name = 'StorageRefused';
}
