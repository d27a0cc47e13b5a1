/** What an operator must know of the storage under the service. */
export type StoreAbout = {
  /** Such as `PostgreSQL 15.18`. */
  readonly engine: string;
  /** What an acknowledged event survives, as the end of a sentence that begins with "an acknowledged event is". */
  readonly survives: string;
  /** False if an acknowledged event can be lost without the loss of a disk. */
  readonly safe: boolean;
};

/** The storage is not available: the database cannot be reached, or does not answer in time. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}
