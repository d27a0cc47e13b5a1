import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import type { Bridge } from '../bridge/bridge.ts';
import { extended, openServiceManager } from '../bridge/status/service-manager.ts';
import { createSupervisor } from '../bridge/status/supervisor.ts';
import { serviceDescription } from '../service/commands/description.ts';
import { createLog, type ProgramLog } from '../shared/log/log.ts';
import { preciseMs } from '../shared/process/clock.ts';
import { deniedText } from '../shared/process/denied.ts';
import { runUntilStopped } from '../shared/process/lifecycle.ts';
import { version } from '../shared/process/version.ts';
import { alertSection, mailSection } from './config/alert-section.ts';
import {
  bridgeSections,
  EXIT_CONFIG,
  isUnset,
  knownSettings,
  loadConfig,
  readEnvironment,
  readServiceManager,
  requiredSettings,
} from './config/env.ts';
import { logSection } from './config/log-section.ts';
import { maskedSettings, passwordsIn } from './config/masked-settings.ts';
import { misspelt } from './config/misspelt-settings.ts';
import { type RunningConfig, startConfig } from './config/reload.ts';
import { serviceSection } from './config/service-section.ts';
import { ConfigError, type Environment } from './config/variable.ts';
import { createProgram, type RunOptions } from './create-program.ts';
import { createTerminal } from './text/terminal.ts';

const sample = fileURLToPath(new URL('../../config/pbx-bridge.env.example', import.meta.url));

/** Printed if nothing is configured. */
const FIRST_STEPS = [
  'pbx-bridge is not configured. To see a demonstration, run npm run demo in a checkout.',
  `To connect your phone system, copy ${sample} to .env here (mode 600) and fill in the empty settings.`,
  'If you have no Call Integration API, npx pbx-bridge service starts one and prints its settings for .env.',
];

const notConfigured = (file: string) =>
  `pbx-bridge is not configured: run pbx-bridge setup, or fill in the empty settings in ${file} and start it again.`;

/** Messages quote files, databases and answers. */
const printErrors = (lines: readonly string[]) => {
  const { print } = createTerminal({ write: (text) => process.stderr.write(text) }, { colour: false });
  for (const line of lines) print(line.slice(0, 4_000));
};

/** Runs the bridge. Modules are loaded here, so that `--help` is fast. */
async function run({ isConfigured, instance }: RunOptions): Promise<number> {
  keepHeapSmall();
  const read = () => readEnvironment(process.cwd(), instance ? { name: instance } : undefined);
  const environment = read();
  if (isUnset(requiredSettings, environment)) {
    const { ENV_FILE } = environment;
    const lines = ENV_FILE === undefined ? FIRST_STEPS : [notConfigured(ENV_FILE)];
    // The unit is skipped: nothing is wrong. sd-daemon(3): <6> is information.
    printErrors(isConfigured ? lines.map((line) => `<6>${line}`) : lines);
    return isConfigured ? 1 : EXIT_CONFIG;
  }
  if (isConfigured) return 0;
  const settings = startConfig(bridgeSections, environment);
  const { logging, ...config } = settings.config;
  const { notifySocket, watchdogMs, journal } = readServiceManager();
  const log = createLog({ ...logging, journal, secrets: secretsOf(config) });
  for (const found of misspelt(Object.keys(environment), knownSettings())) log.say('program.misspelt', found);
  const { startBridge } = await import('../bridge/bridge.ts');
  const notify = await openServiceManager(notifySocket, log);
  return runUntilStopped(async (fail) => {
    const starting = startBridge(config, { log, logStatus: log.status, version, fail });
    const bridge = await extended(starting, notify);
    const reload = () => reloadSettings(settings, read, bridge, log);
    if (notify === undefined) return { stop: bridge.stop, reload };
    const supervisor = createSupervisor({
      notify,
      readLiveness: bridge.liveness,
      readStatus: bridge.status,
      log,
      watchdogMs,
      now: Date.now,
      monotonic: preciseMs,
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

/** Reads the settings again while the bridge runs, and logs what needs a restart. Invalid settings change nothing. */
function reloadSettings(
  settings: RunningConfig<typeof bridgeSections>,
  read: () => Environment,
  bridge: Bridge,
  log: ProgramLog,
): void {
  try {
    const { config, live, restart } = settings.reload(read());
    log.change({ level: config.logging.level, secrets: secretsOf(config) });
    bridge.reload(config);
    if (live.length > 0) log.say('program.reloaded', { live: live.join(', ') });
    if (restart.length > 0) log.say('program.reload-needs-restart', { restart: restart.join(', ') });
    if (live.length + restart.length === 0) log.say('program.reload-unchanged');
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    log.say('program.reload-refused', { problems: error.lines.join('; ') });
  }
}

/** What the log must never show. */
function secretsOf({
  ami,
  api,
  mail,
  alerts,
}: Pick<RunningConfig<typeof bridgeSections>['config'], 'ami' | 'api' | 'mail' | 'alerts'>): string[] {
  const passwords = passwordsIn([api.proxies.https, api.proxies.http]);
  return [ami.secret, api.token, ...passwords, ...mailSecrets({ mail, alerts })];
}

function mailSecrets({
  mail,
  alerts,
}: Pick<RunningConfig<typeof bridgeSections>['config'], 'mail' | 'alerts'>): string[] {
  return [mail?.login?.pass, alerts.webhook].filter((secret) => secret !== undefined);
}

const [, , first = ''] = process.argv;

const program = createProgram(version, run);

// What is started loads what it needs: the bridge no commands, a command of the bridge nothing of the service.
if (first !== 'run' && first !== 'service') {
  const { addOperatorCommands } = await import('./operator-commands.ts');
  const { processIo } = await import('./command-context.ts');
  addOperatorCommands(program, processIo(version));
}
if (first !== 'service' && first !== 'help') program.command('service').description(serviceDescription);
else {
  const { addServiceCommands } = await import('../service/commands.ts');
  const sections = { service: serviceSection, mail: mailSection, alerts: alertSection, logging: logSection };
  const options = () => loadConfig(sections, readEnvironment());
  addServiceCommands(program, {
    options: () => options().service,
    alerts: () => options(),
    async run(started) {
      const { service, mail, alerts, logging } = options();
      const { url, listenUrl } = service.database ?? {};
      const { notifySocket, watchdogMs, journal } = readServiceManager();
      const log = createLog({
        ...logging,
        journal,
        secrets: [...passwordsIn([url, listenUrl]), ...mailSecrets({ mail, alerts })],
      });
      const { startService } = await import('../service/service.ts');
      const notify = await openServiceManager(notifySocket, log);
      const code = await runUntilStopped(async (fail) => {
        const starting = startService({ ...service, mail, alerts }, { log, version, fail });
        const running = await extended(starting, notify);
        started(running);
        notify?.({ READY: 1, STATUS: `listening at ${running.url}` });
        // All requests are answered by this thread: if it hangs, only a restart helps.
        const feeding = watchdogMs && setInterval(() => notify?.({ WATCHDOG: 1 }), watchdogMs / 4);
        return {
          stop() {
            clearInterval(feeding);
            notify?.({ STOPPING: 1 });
            return running.stop();
          },
        };
      }, log);
      process.exit(code);
    },
    about: () => ({ version, settings: () => maskedSettings(sections, readEnvironment()) }),
    exit(code) {
      process.exitCode = code;
    },
    out: process.stdout,
    in: process.stdin,
  });
}

try {
  await program.parseAsync();
} catch (error) {
  // Expected errors are printed in one line; bugs with their stack.
  if (!(error instanceof Error) || error instanceof TypeError || error instanceof ReferenceError) throw error;
  printErrors(
    error instanceof ConfigError ? error.lines : [`pbx-bridge: ${deniedText(error) ?? error.message}`],
  );
  // Exit explicitly: after a failed start, open handles would keep the process and its lock alive.
  process.exit(error instanceof ConfigError ? EXIT_CONFIG : 1);
}

/**
 * Limits the memory of this process, since a PBX host needs it for other things. By default V8 lets the heap of each
 * thread grow to several times its live size: 330 MB while a backlog of millions is delivered. With earlier collections
 * and small young generations it is 190 MB, without a measurable cost in CPU time. Call it before any work.
 */
function keepHeapSmall(): void {
  // The old generation is collected when it has grown by this share of the live heap.
  setFlagsFromString('--heap-growing-percent=20');
  setFlagsFromString('--semi-space-growth-factor=1');
}
