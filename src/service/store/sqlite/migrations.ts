import { readFileSync } from 'node:fs';

/** The service's steps for `migrate`. The first is the schema of the first release. */
export const migrations: readonly string[] = [readFileSync(new URL('./schema.sql', import.meta.url), 'utf8')];
