import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atExit } from './asterisk/at-exit.ts';

/**
 * The folder for NODE_COMPILE_CACHE: of all that a test run starts, so that each file is read and compiled once and not
 * by every process again, which is a third of what many of them do. Made if there is none yet, and gone at the end.
 */
export function compileCache(): string {
  const given = process.env.NODE_COMPILE_CACHE;
  if (given !== undefined) return given;
  const folder = mkdtempSync(join(tmpdir(), 'pbx-bridge-compiled-'));
  atExit(() => {
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    } catch {
      // A program that has not ended yet still writes there: a temporary folder more is no reason to fail.
    }
  });
  process.env.NODE_COMPILE_CACHE = folder;
  return folder;
}
