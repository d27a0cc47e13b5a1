import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cli } from '../program-under-test.ts';
import { compileCache } from '../runner/compile-cache.ts';

export type Said = { readonly code: number | null; readonly output: string };

/** Where a command writes to. */
export type Where = 'pipe' | 'terminal';

/** A person at a shell, in a folder, with `pbx-bridge` on the PATH and no other settings than these. */
type Shell = {
  /** Runs a command as it is typed, and ends it with Ctrl-C once its output matches `enough`. */
  run(command: string, where: Where, enough?: RegExp): Promise<Said>;
  /** Pastes a text into an interactive shell on a terminal, and leaves it. */
  paste(shell: 'sh' | 'bash', text: string): Promise<Said>;
};

export function openShell(cwd: string, settings: Readonly<Record<string, string>>): Shell {
  const bin = join(cwd, 'bin');
  mkdirSync(bin);
  const program = (name: string, line: string) => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${line}\n`);
    chmodSync(join(bin, name), 0o755);
  };
  program('pbx-bridge', `exec '${process.execPath}' --disable-warning=ExperimentalWarning '${cli}' "$@"`);
  // What pauses between two requests is not what is tried.
  program('sleep', 'exit 0');
  const env = {
    PATH: `${bin}:${process.env.PATH}`,
    HOME: cwd,
    SHELL: '/bin/sh',
    TERM: 'xterm',
    HISTFILE: '',
    NODE_COMPILE_CACHE: compileCache(),
    ...settings,
  };
  /** script(1) gives the command a terminal. */
  const onTerminal = (command: string) =>
    spawn('script', ['-qefc', `stty cols 80; ${command}`, '/dev/null'], { cwd, env });
  return {
    run(command, where, enough) {
      const child =
        where === 'terminal'
          ? onTerminal(command)
          : spawn('sh', ['-c', command], { cwd, env, detached: true });
      // Ctrl-C goes to all that runs in the foreground.
      const stop = () =>
        where === 'terminal' ? child.stdin.write('\x03') : process.kill(-(child.pid ?? 0), 'SIGINT');
      return ended(child, enough && { enough, stop });
    },
    paste(shell, text) {
      const child = onTerminal(`exec ${shell} -i`);
      child.stdin.write(`${text.trimEnd()}\nexit\n`);
      return ended(child);
    },
  };
}

async function ended(
  child: ChildProcess,
  until?: { readonly enough: RegExp; stop(): unknown },
): Promise<Said> {
  let output = '';
  let stopped = until === undefined;
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString().replaceAll('\r\n', '\n');
      if (stopped || !until?.enough.test(output)) return;
      stopped = true;
      until.stop();
    });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}
