import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { timeOfStamp } from '../../../shared/storage/replace.ts';

/** A damaged database that was set aside: when (Unix ms), and where it is. */
export type DamagedFile = { readonly at: number; readonly path: string };

/** What a damaged database is called when it has been set aside. */
export function damagedName(path: string, stamp: string): string {
  return `${path}.damaged-${stamp}`;
}

/** The newest of the damaged databases that were set aside; undefined if none is there. Rejects if the folder cannot be read. */
export async function newestDamaged(databasePath: string): Promise<DamagedFile | undefined> {
  const head = basename(damagedName(databasePath, ''));
  const folder = dirname(databasePath);
  const found = (await readdir(folder)).flatMap((name): DamagedFile[] => {
    const at = name.startsWith(head) ? timeOfStamp(name.slice(head.length)) : Number.NaN;
    return Number.isNaN(at) ? [] : [{ at, path: join(folder, name) }];
  });
  return found.sort((a, b) => b.at - a.at)[0];
}
