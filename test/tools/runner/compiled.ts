import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compile } from '../../../systemd/build/compile.ts';

/** Compiles the program as it is shipped. From then on, tests that this process starts run it: see program-under-test.ts. */
export function compileProgram(): { remove(): void } {
  const home = mkdtempSync(join(tmpdir(), 'pbx-bridge-compiled-'));
  compile(home);
  process.env.PBX_BRIDGE_CLI = join(home, 'lib/cli.js');
  return {
    remove() {
      delete process.env.PBX_BRIDGE_CLI;
      rmSync(home, { recursive: true });
    },
  };
}
