#!/usr/bin/env node
import './process/require-node.ts';
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import type { Bridge } from './bridge.ts';
import {
  bridgeSections,
  ConfigError,
  EXIT_CONFIG,
  isUnset,
  loadConfig,
  readEnvironment,
  readServiceManager,
} from './config/env.ts';
import { logSection } from './config/log-section.ts';
import { type RunningConfig, startConfig } from './config/reload.ts';
import { serviceSection } from './config/service-section.ts';
import { createLog, type ProgramLog } from './log/log.ts';
import { keepHeapSmall } from './process/heap.ts';
import { runUntilStopped } from './process/lifecycle.ts';
import { createSupervisor, openServiceManager } from './status/systemd.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** What somebody sees who has just unpacked the program. */
const FIRST_STEPS = [
  'pbx-bridge is not configured yet. See it at work first: npm run demo',
  'To connect your phone system, copy config/pbx-bridge.env.example to .env (mode 600) and fill in what stands open.',
  'No API to tell? npm run service starts one, and prints the lines for .env.',
];

const notConfigured = (file: string) =>
  `pbx-bridge is not configured yet: fill in what stands open in ${file}, and start it again.`;

const complain = (lines: readonly string[]) => process.stderr.write(`${lines.join('\n')}\n`);

/** Each command loads what it needs when it runs: `--help` is quick, and the bridge never loads the service. */
async function run(): Promise<number> {
  keepHeapSmall();
  const environment = readEnvironment();
  if (isUnset(['AMI_USERNAME', 'AMI_SECRET', 'API_BASE_URL', 'API_TOKEN'], environment)) {
    const { ENV_FILE } = environment;
    complain(ENV_FILE === undefined ? FIRST_STEPS : [notConfigured(ENV_FILE)]);
    return EXIT_CONFIG;
  }
  const settings = startConfig(bridgeSections, environment);
  const { logging, ...config } = settings.config;
  const log = createLog({ ...logging, secrets: [config.ami.secret, config.api.token] });
  const { startBridge } = await import('./bridge.ts');
  const { notifySocket, watchdogMs } = readServiceManager();
  const tell = await openServiceManager(notifySocket, log);
  return runUntilStopped(async (fail) => {
    const bridge = await startBridge(config, { log, logStatus: log.status, version, fail });
    const reload = () => takeSettings(settings, bridge, log);
    if (tell === undefined) return { stop: bridge.stop, reload };
    const supervisor = createSupervisor({
      ...{ tell, look: bridge.signs, read: bridge.status, log, watchdogMs, now: Date.now },
      monotonic: () => Number(process.hrtime.bigint()) / 1e6,
    });
    supervisor.start();
    return {
      async stop() {
        supervisor.stop();
        await bridge.stop();
      },
      reload: () => supervisor.reload(reload),
    };
  }, log);
}

/** Reads the settings again while the bridge runs; what it cannot take is said, and what is wrong changes nothing. */
function takeSettings(settings: RunningConfig<typeof bridgeSections>, bridge: Bridge, log: ProgramLog): void {
  try {
    const { config, live, restart } = settings.reload(readEnvironment());
    log.change({ level: config.logging.level, secrets: [config.ami.secret, config.api.token] });
    bridge.reload(config);
    if (live.length > 0) log.say('program.reloaded', { live: live.join(', ') });
    if (restart.length > 0) log.say('program.reload-needs-restart', { restart: restart.join(', ') });
    if (live.length + restart.length === 0) log.say('program.reload-unchanged');
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    log.say('program.reload-refused', { problems: error.lines.join('; ') });
  }
}

/** As it is written in the address, and as it is. */
function passwordsIn(urls: readonly (string | undefined)[]): string[] {
  return urls.flatMap((url) => {
    const written = /^\w+:\/\/[^:@/]*:([^@/]+)@/.exec(url ?? '')?.[1];
    return written === undefined ? [] : [written, decodeURIComponent(written)];
  });
}

const program = new Command('pbx-bridge')
  .description('Tells the Call Integration API of every inbound call of an Asterisk phone system.')
  .version(version)
  .showHelpAfterError()
  .hook('preAction', async () => (await import('./process/authorities.ts')).trustSystemAuthorities());

program
  .command('run')
  .description('run the bridge, as the environment and the file .env configure it')
  .addHelpText(
    'after',
    `
Exit codes: 0 stopped, 1 failed (start it again), ${EXIT_CONFIG} wrong configuration (do not).
Settings: config/pbx-bridge.env.example says what there is.`,
  )
  .action(async () => {
    process.exit(await run());
  });

// The bridge's own process loads nothing of the service.
if (process.argv[2] !== 'run') {
  const { addOperatorCommands } = await import('./cli/operator-commands.ts');
  const { processIo } = await import('./cli/command-context.ts');
  addOperatorCommands(program, processIo(version));
  const { addServiceCommands } = await import('./service/commands.ts');
  const options = () => loadConfig({ service: serviceSection, logging: logSection }, readEnvironment());
  addServiceCommands(program, {
    options: () => options().service,
    async run(started) {
      const { service, logging } = options();
      const { url, listenUrl } = service.database ?? {};
      const log = createLog({ ...logging, secrets: passwordsIn([url, listenUrl]) });
      const { startService } = await import('./service.ts');
      const tell = await openServiceManager(readServiceManager().notifySocket, log);
      const code = await runUntilStopped(async (fail) => {
        const running = await startService(service, { log, fail });
        started(running);
        tell?.({ READY: 1, STATUS: `listening at ${running.url}` });
        return {
          stop() {
            tell?.({ STOPPING: 1 });
            return running.stop();
          },
        };
      }, log);
      process.exit(code);
    },
    out: process.stdout,
    in: process.stdin,
  });
}

try {
  await program.parseAsync();
} catch (error) {
  // What a rule or the system refuses is said in one line; a mistake of ours shows where it is.
  if (!(error instanceof Error) || error instanceof TypeError || error instanceof ReferenceError) throw error;
  complain(error instanceof ConfigError ? error.lines : [`pbx-bridge: ${error.message}`]);
  // Not only the code: a start that failed half-way would keep the process, and its lock, alive.
  process.exit(error instanceof ConfigError ? EXIT_CONFIG : 1);
}
