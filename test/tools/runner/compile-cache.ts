import { fileURLToPath } from 'node:url';

/**
 * The folder for NODE_COMPILE_CACHE: of all that a test run starts, so that each file is read and compiled once and not
 * by every process again, which is a third of what many of them do. Node finds what it holds by content.
 */
export function compileCache(): string {
  process.env.NODE_COMPILE_CACHE ??= fileURLToPath(
    new URL('../../../node_modules/.cache/compiled', import.meta.url),
  );
  return process.env.NODE_COMPILE_CACHE;
}
