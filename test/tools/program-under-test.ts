import { fileURLToPath } from 'node:url';

/**
 * The script of the program that tests start in processes of their own. The slow tier names in PBX_BRIDGE_CLI the one that
 * it has compiled as it is shipped; otherwise it is this tree's.
 */
export const cli = process.env.PBX_BRIDGE_CLI ?? fileURLToPath(new URL('../../src/cli.ts', import.meta.url));
