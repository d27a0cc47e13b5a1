import { Readable, Writable } from 'node:stream';
import { Command } from 'commander';
import { addServiceCommands } from '../../../src/service/commands.ts';
import type { DatabaseSettings } from '../../../src/service/database/open-store.ts';
import { options, type Served } from './harness.ts';

type Site = Pick<Served, 'stateDir'> & { readonly database?: DatabaseSettings };

/** What a command prints, on the data of a running service. */
export async function command(served: Site, ...line: string[]): Promise<string> {
  return (await commandResult(served, ...line)).printed;
}

/** The same with its exit code. */
export async function commandResult({ stateDir, database = null }: Site, ...line: string[]) {
  let printed = '';
  let code = 0;
  const out = new Writable({
    write(chunk, _encoding, done) {
      printed += chunk;
      done();
    },
  });
  const program = new Command().exitOverride();
  addServiceCommands(program, {
    options: () => ({ ...options(stateDir), database }),
    alerts: () => ({ alerts: { mail: [], webhook: undefined, afterMs: 0 }, mail: undefined }),
    run: async () => {},
    exit: (given) => {
      code = given;
    },
    out,
    in: Readable.from([]),
    about: () => ({ version: 'test', settings: () => ({ lines: [], secrets: [] }) }),
  });
  await program.parseAsync(['service', ...line], { from: 'user' });
  return { printed, code };
}
