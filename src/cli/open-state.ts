import { openReader, type Reader } from '../bridge/outbox/reader.ts';
import type { Context } from './command-context.ts';

/** Opens the state directory for reading. If it cannot be read, prints why and returns undefined. */
export function openState({ printError }: Context, stateDir: string): Reader | undefined {
  let why =
    'check that STATE_DIR is that of the bridge, that the bridge was started once, and that this user may read it';
  try {
    const reader = openReader(stateDir);
    if (reader !== undefined) return reader;
  } catch (error) {
    // SQLite's only message for a file of another user.
    if (!/unable to open/.test(String(error))) throw error;
    why = 'run this command as the user of the bridge, or as root';
  }
  printError(`cannot read the state of the bridge in ${stateDir}: ${why}`);
  return undefined;
}
