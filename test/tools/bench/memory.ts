import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { compile } from '../../../systemd/build/compile.ts';
import { createRig } from '../faults/rig.ts';
import { until } from '../until.ts';
import { print } from './compare.ts';

/**
 * What the programs need when nothing happens, from this checkout and compiled, and how long a command takes to start. Each
 * is started as its unit starts it, with all that it has compiled once kept.
 *
 * node test/tools/bench/memory.ts [--seconds 20] [--flags '--single-threaded'] [--node FILE] [--only 'service, compiled']
 */
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '20' },
    /** More options of Node. */
    flags: { type: 'string', default: '' },
    node: { type: 'string', default: process.execPath },
    only: { type: 'string', default: '' },
  },
});
const project = fileURLToPath(new URL('../../../', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'pbx-bridge-memory-'));
const more = values.flags.split(' ').filter(Boolean);

/** The options of Node in a unit. */
function optionsOf(unit: string): string[] {
  const text = readFileSync(join(project, `systemd/${unit}.service`), 'utf8');
  const [, words = ''] = /^ExecStart=\S+\/node (.*) \S+cli\.js/m.exec(text) ?? [];
  return words.split(' ');
}

/** What is in memory: all, what is not shared, Node's file, other libraries, malloc and the first stack, mapped without a file. */
const columns = ['resident', 'private', 'node', 'libs', 'stacks+C', 'V8', 'threads', 'JS heaps'] as const;

const bridge = optionsOf('pbx-bridge');
const service = optionsOf('pbx-bridge-service');

try {
  const home = join(scratch, 'compiled');
  compile(home);
  const trees = { checkout: join(project, 'src/cli.ts'), compiled: join(home, 'lib/cli.js') };
  print(`MB                  ${columns.map((name) => name.padStart(9)).join('')}`);
  const isWanted = (name: string) => name.includes(values.only);
  for (const [tree, cli] of Object.entries(trees))
    for (const [program, idle] of Object.entries({ bridge: idleBridge, service: idleService })) {
      const name = `${program}, ${tree}`;
      if (isWanted(name)) print(`${name.padEnd(20)}${row(await idle(cli))}`);
    }
  for (const [tree, cli] of Object.entries(trees))
    for (const command of ['--version', '--help', 'status', 'explain 1', 'service status', 'outbox list']) {
      const name = `start of ${command}, ${tree}`;
      if (isWanted(name)) print(`${name.padEnd(34)} ${startMs(cli, command.split(' '))} ms`);
    }
} finally {
  rmSync(scratch, { recursive: true });
}

async function idleBridge(cli: string): Promise<Memory> {
  const rig = await createRig();
  try {
    return await idle([...bridge, cli, 'run'], rig.env, /"ami\.connected"/);
  } finally {
    await rig.close();
  }
}

function idleService(cli: string): Promise<Memory> {
  const env = { SERVICE_LISTEN: '127.0.0.1:0', STATE_DIR: mkdtempSync(join(scratch, 'service-')) };
  return idle([...service, cli, 'service'], env, /"service\.started"/);
}

/** Of the second start: the first leaves behind what it has compiled. */
async function idle(args: string[], env: Readonly<Record<string, string>>, ready: RegExp): Promise<Memory> {
  const begin = async () => {
    const reports = ['--report-on-signal', `--report-directory=${scratch}`];
    const child = spawn(values.node, [...reports, ...more, ...args], {
      cwd: scratch,
      env: { PATH: process.env.PATH, ...env, NODE_COMPILE_CACHE: join(scratch, 'cache') },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let said = '';
    child.stdout.on('data', (text) => (said += text));
    await until(`it says ${ready}`, () => ready.test(said), { state: () => said });
    return child;
  };
  await end(await begin());
  const child = await begin();
  try {
    return await measure(child.pid as number);
  } finally {
    await end(child);
  }
}

async function end(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM');
  await once(child, 'close');
}

type Memory = Record<(typeof columns)[number], number | string>;

function row(memory: Memory): string {
  return columns.map((name) => String(memory[name]).padStart(9)).join('');
}

/** Reads it when it has been idle, then has Node write down its heaps. */
async function measure(pid: number): Promise<Memory> {
  await sleep(Number(values.seconds) * 1_000);
  const maps = readFileSync(`/proc/${pid}/smaps`, 'utf8').split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m);
  const sum = (what: RegExp, field = /^Rss:\s+(\d+)/m) =>
    maps
      .filter((map) => what.test(map.split('\n')[0] as string))
      .reduce((kb, map) => kb + Number(field.exec(map)?.[1]), 0);
  const mb = (kb: number) => Math.round(kb / 1_024);
  const threads = readdirSync(`/proc/${pid}/task`).length;
  process.kill(pid, 'SIGUSR2');
  const report = () => globSync(`report.*.${pid}.*.json`, { cwd: scratch })[0];
  await until('Node has written its report', () => report() !== undefined);
  await sleep(1_000);
  const { javascriptHeap, workers } = JSON.parse(
    readFileSync(join(scratch, report() as string), 'utf8'),
  ) as Report;
  const heaps = [javascriptHeap, ...workers.map((worker) => worker.javascriptHeap)];
  return {
    resident: mb(sum(/./)),
    private: mb(sum(/./, /^Private_Dirty:\s+(\d+)/m) + sum(/./, /^Private_Clean:\s+(\d+)/m)),
    node: mb(sum(/\/node$/)),
    libs: mb(sum(/\.so/)),
    'stacks+C': mb(sum(/\[(heap|stack)/)),
    V8: mb(sum(/ 0 +(\[anon.*)?$/)),
    threads,
    'JS heaps': heaps.map((heap) => Math.round(heap.usedMemory / 1e6)).join('+'),
  };
}

type Report = {
  readonly javascriptHeap: { readonly usedMemory: number };
  readonly workers: readonly Report[];
};

/** The fastest of ten starts, ms: the one that other work on the machine disturbed least. Root's commands have no compile cache. */
function startMs(cli: string, command: string[]): number {
  const times = Array.from({ length: 10 }, () => {
    const began = performance.now();
    try {
      execFileSync(values.node, [...bridge, ...more, cli, ...command], {
        cwd: scratch,
        env: { PATH: process.env.PATH },
        stdio: 'ignore',
      });
    } catch {
      // What it finds does not matter here.
    }
    return performance.now() - began;
  });
  return Math.round(Math.min(...times));
}
