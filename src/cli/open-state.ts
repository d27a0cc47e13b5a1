import { openReader, type Reader } from '../outbox/reader.ts';
import type { Context } from './command-context.ts';

/** Opens the state folder to read it; undefined, and said why, when there is nothing that can be read. */
export function openState({ complain }: Context, stateDir: string): Reader | undefined {
  let why = 'is STATE_DIR the one of the bridge, did it ever start, and may this user read it?';
  try {
    const reader = openReader(stateDir);
    if (reader !== undefined) return reader;
  } catch (error) {
    // SQLite has no other word for a file that is another user's.
    if (!/unable to open/.test(String(error))) throw error;
    why = 'run this as the user of the bridge, or as root';
  }
  complain(`the state of the bridge in ${stateDir} cannot be read: ${why}`);
  return undefined;
}
