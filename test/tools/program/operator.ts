import { PassThrough } from 'node:stream';
import { Command } from 'commander';
import { addOperatorCommands } from '../../../src/cli/operator-commands.ts';

type Ran = {
  readonly code: number;
  /** Standard output. */
  readonly text: string;
  readonly error: string;
};

export type RunOptions = {
  /** Typed at the questions. */
  readonly input?: string;
  /** A terminal so wide; without it the output goes to a pipe. */
  readonly columns?: number;
};

/** Runs a command of the operators in this process, with this environment alone. */
export async function runCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  { input = '', columns }: RunOptions = {},
): Promise<Ran> {
  let [text, error, code] = ['', '', 0];
  const output = (add: (chunk: string) => void) => ({ write: add, isTTY: columns !== undefined, columns });
  const typed = new PassThrough();
  typed.end(input);
  const program = new Command('pbx-bridge').exitOverride();
  addOperatorCommands(program, {
    out: output((chunk) => {
      text += chunk;
    }),
    err: output((chunk) => {
      error += chunk;
    }),
    in: Object.assign(typed, { isTTY: columns !== undefined }),
    version: 'test',
    environment: () => environment,
    exit(with_) {
      code = with_;
    },
  });
  await program.parseAsync(['node', 'pbx-bridge', ...args]);
  return { code, text, error };
}
