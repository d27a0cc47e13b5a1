import { fileURLToPath } from 'node:url';
import { createMetrics } from '../../../src/bridge/status/metrics.ts';
import { alertSection, mailSection } from '../../../src/cli/config/alert-section.ts';
import { bridgeSections, type Sections } from '../../../src/cli/config/env.ts';
import { logSection } from '../../../src/cli/config/log-section.ts';
import { serviceSection } from '../../../src/cli/config/service-section.ts';
import { isLive } from '../../../src/cli/config/variable.ts';
import { createMeter } from '../../../src/service/upkeep/meter.ts';
import { bashCompletion } from './completion.ts';
import { commandPages, settingsManPage } from './man-pages.ts';
import { messagesPage, metricsPage } from './reference-pages.ts';
import { sampleFile, settingsPage } from './settings-page.ts';

const config = (name: string) => fileURLToPath(new URL(`../../../config/${name}`, import.meta.url));
const systemd = (name: string) => fileURLToPath(new URL(`../../../systemd/${name}`, import.meta.url));

const bridgeHead = [
  'Settings of pbx-bridge. Copy this file to .env, or to the settings file of the service manager.',
  '',
  'Empty settings are required; commented ones show their defaults.',
  'Each setting NAME may also be set as NAME_FILE, the path of a file with the value, or as a systemd credential.',
];

const serviceHead = [
  'Settings of the API service (pbx-bridge service). Copy this file to .env, or to the settings file of the service manager.',
  '',
  'No setting is required; commented ones show their defaults.',
  'Each setting NAME may also be set as NAME_FILE, the path of a file with the value, or as a systemd credential.',
];

const serviceSections: Sections = {
  service: serviceSection,
  mail: mailSection,
  alerts: alertSection,
  logging: logSection,
};

const settingsIntro = `# Settings

This page is generated from the code (\`npm run generate\`). Settings are environment variables. They are read from \`.env\`
in the current directory, from the file named by \`ENV_FILE\` (if the package is installed:
\`/etc/pbx-bridge/bridge.env\`, and \`/etc/pbx-bridge-service/service.env\`), and from the environment, which goes before
the file unless its value is empty. Each setting \`NAME\` may also be set as \`NAME_FILE\`, the path of a file
with the value, or as a systemd credential. For each invalid value the program prints one line with the name, the value
and what the setting takes, and exits with code 78. Settings with _reload: yes_ take effect on \`systemctl reload\` or
SIGHUP; the others need a restart.`;

const programs = [
  { title: 'The bridge', sections: bridgeSections, reloads: true },
  { title: 'The service', sections: serviceSections, reloads: false },
];

/** The settings that take effect on a reload, for the head of the sample file. */
function reloadHead(): string[] {
  const settings = Object.values(bridgeSections as Sections).flatMap(({ shape }) => Object.entries(shape));
  const names = settings.filter(([, schema]) => isLive(schema)).map(([name]) => name);
  return [
    'These settings take effect on a reload (systemctl reload, or SIGHUP), the others on a restart:',
    `${names.join(', ')}.`,
  ];
}

/** The generated files: path to text. A test compares them with the files. */
export function generatedFiles(): Record<string, string> {
  return {
    [config('pbx-bridge.env.example')]: sampleFile([...bridgeHead, ...reloadHead()], bridgeSections),
    [config('pbx-bridge-service.env.example')]: sampleFile(serviceHead, serviceSections),
    [config('settings.md')]: settingsPage(settingsIntro, programs),
    ...Object.fromEntries(
      Object.entries(commandPages()).map(([name, text]) => [systemd(`man/${name}`), text]),
    ),
    [systemd('man/pbx-bridge.env.5')]: settingsManPage(programs),
    [systemd('completion/pbx-bridge')]: bashCompletion(),
    [config('messages.md')]: messagesPage(),
    [config('metrics.md')]: metricsPage(createMetrics({ withProcess: false }).list(), createMeter().list()),
  };
}
