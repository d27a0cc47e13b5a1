import { globSync } from 'node:fs';
import { cannotInstall, installPackages } from '../debian.ts';

/** Why no process can be given a clock of its own here, in one line; installs Debian's faketime where it may. */
export async function faketimeImpossible(): Promise<string | undefined> {
  if (process.platform !== 'linux') return `it needs Linux, this is ${process.platform}`;
  if (library() === undefined && cannotInstall() !== undefined)
    return 'it needs faketime (Debian), and root to install it';
  await installPackages({ '/usr/bin/faketime': 'faketime' });
  return library() === undefined ? 'faketime is installed, but not its library' : undefined;
}

/** What a command is run under, to see the clock that these settings make (faketime(1), "Advanced timestamp features"). */
export const underFaketime = (settings: Readonly<Record<string, string>>): string[] => [
  'env',
  ...Object.entries({ LD_PRELOAD: library(), ...settings }).map(([name, value]) => `${name}=${value}`),
];

const library = () => globSync('/usr/lib/*/faketime/libfaketimeMT.so.1')[0];
