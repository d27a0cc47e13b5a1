/** Runs what creates a file of its own (flag `wx`). Throws an error that says so if the file is there already. */
export function createFile<Result>(path: string, create: () => Result): Result {
  try {
    return create();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new Error(`${path} exists: choose another file`);
  }
}
