import { accessSync, constants } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';

/** Says in one line whose rights a file lacks and what to do; undefined if the error is another one. */
export function deniedText(error: Error): string | undefined {
  const { code, path } = error as NodeJS.ErrnoException;
  if (path === undefined || (code !== 'EACCES' && code !== 'EPERM' && code !== 'EROFS')) return undefined;
  const { username, homedir } = systemUser();
  // Of the package's users; of others, their own.
  const folder = [join(homedir, 'backups'), homedir].find(isWritable) ?? tmpdir();
  return `no access to ${resolve(path)} (${code}): the program runs as the user ${username}; choose a file in a folder of that user, such as ${folder}`;
}

/** The user that this process runs as; the number of one without a name. */
export function systemUser(): { readonly username: string; readonly homedir: string } {
  try {
    return userInfo();
  } catch {
    return { username: String(process.getuid?.()), homedir: tmpdir() }; // a uid without an entry in passwd
  }
}

/** Whether this process's user may write to a file, or make files in a folder. */
export function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Runs what creates a file of its own (flag `wx`). Throws an error that says so if the file is there already. */
export function createFile<Result>(path: string, create: () => Result): Result {
  try {
    return create();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new Error(`${path} exists: choose another file`);
  }
}
