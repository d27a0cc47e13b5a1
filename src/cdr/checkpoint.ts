import type { RecordSource } from './cdr-source.ts';

/** How far a source was read, stored with the events of the calls before it. */
export type Checkpoint = {
  /** The source's name. */
  readonly source: string;
  /** Unix ms: earlier calls are not reported. */
  readonly since: number;
  readonly position: unknown;
};

/** The stored checkpoint; undefined if there is none, or it is of another source. */
export function readCheckpoint(text: string | undefined, of: RecordSource<unknown>): Checkpoint | undefined {
  if (text === undefined) return undefined;
  const { source, since, position } = JSON.parse(text) as Checkpoint;
  const known = source === of.name ? of.positionOf(position) : undefined;
  return known === undefined ? undefined : { source, since, position: known };
}
