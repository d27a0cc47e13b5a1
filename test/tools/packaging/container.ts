import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { atExit } from '../lab/at-exit.ts';
import { until } from '../until.ts';
import { type Machine, run, type Said } from './machine.ts';

/** A machine that has booted: its own systemd, this machine's kernel and network. */
export type Container = {
  /** Runs a command there. */
  run(command: string, ...args: string[]): Promise<Said>;
  /** A property of a unit, as `systemctl show` has it. */
  property(unit: string, name: string): Promise<string>;
  /** Waits until it is that. */
  until(unit: string, name: string, value: string | RegExp): Promise<void>;
  /** Before a command and its arguments: runs it on this machine, in the network of that one. */
  readonly inItsNetwork: readonly string[];
  stop(): Promise<void>;
};

/**
 * Moves to a control group of its own, then becomes systemd-nspawn: in one group, units of the same name in two containers
 * would be one unit's processes, and a start fails (219/CGROUP) when the other's ends.
 */
const inOwnGroup = `for groups in /sys/fs/cgroup/systemd /sys/fs/cgroup/unified /sys/fs/cgroup; do
  test -e $groups/cgroup.procs && mkdir $groups/pbx-bridge-$$ && echo $$ > $groups/pbx-bridge-$$/cgroup.procs
done 2>/dev/null
exec systemd-nspawn "$@"`;
const removeGroup =
  'find /sys/fs/cgroup/*/pbx-bridge-$1 /sys/fs/cgroup/pbx-bridge-$1 -depth -type d -exec rmdir {} + 2>/dev/null';

/**
 * Boots it. Gives why not, in one line, where the machine that the tests run on cannot.
 * @param more options of systemd-nspawn(1), such as `--private-network`.
 */
export async function boot(machine: Machine, more: readonly string[] = []): Promise<Container | string> {
  const options = ['--quiet', '--register=no', '--keep-unit', '--console=pipe', '--boot', ...more];
  const nspawn = spawn('sh', ['-c', inOwnGroup, 'sh', ...options, '-D', machine.root], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [nspawn.stdout, nspawn.stderr]) stream.on('data', (chunk) => (said += chunk));
  const ended = once(nspawn, 'close');
  const init = () => {
    if (nspawn.exitCode !== null || nspawn.signalCode !== null) return undefined;
    const children = readFileSync(`/proc/${nspawn.pid}/task/${nspawn.pid}/children`, 'utf8');
    return children.trim().split(' ')[0] || undefined;
  };
  /** All that runs there ends with its init, and so does systemd-nspawn; killed itself, it would leave them running. */
  const kill = () => {
    const pid = init();
    if (pid === undefined) nspawn.kill('SIGKILL');
    else process.kill(Number(pid), 'SIGKILL');
  };
  const release = atExit(kill);
  const inside = async (command: string, ...args: string[]): Promise<Said> => {
    const pid = init();
    if (pid === undefined) return { code: -1, output: 'it has ended' };
    return run('nsenter', ['-t', pid, '-m', '-u', '-i', '-n', '-p', '-r', '-w', command, ...args]);
  };
  const stop = async (): Promise<void> => {
    nspawn.kill('SIGTERM');
    const killer = setTimeout(kill, 5_000);
    await ended;
    clearTimeout(killer);
    release();
    await run('sh', ['-c', removeGroup, 'sh', `${nspawn.pid}`]);
  };

  const isUp = async () => {
    const { output } = await inside('systemctl', 'is-system-running');
    if (nspawn.exitCode !== null) throw new Error(said.trim().split('\n').at(-1) || output.trim());
    return /^(running|degraded)/.test(output);
  };
  try {
    await until('systemd is up', isUp, { state: () => said, everyMs: 500 });
  } catch (error) {
    await stop();
    return `systemd-nspawn cannot boot here: ${(error as Error).message}`;
  }

  const property = async (unit: string, name: string): Promise<string> =>
    (await inside('systemctl', 'show', '--value', '-p', name, unit)).output.trim();
  return {
    run: inside,
    inItsNetwork: ['nsenter', '-t', init() ?? '', '-n'],
    property,
    async until(unit, name, wanted) {
      const isIt = async () => {
        const value = await property(unit, name);
        return typeof wanted === 'string' ? value === wanted : wanted.test(value);
      };
      const state = async () => {
        const { output } = await inside('systemctl', 'status', '--no-pager', '-n', '30', unit);
        return `${await property(unit, name)}\n${output}`;
      };
      await until(`${name} of ${unit} is ${wanted}`, isIt, { state, everyMs: 500 });
    },
    stop,
  };
}
