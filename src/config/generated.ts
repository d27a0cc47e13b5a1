import { fileURLToPath } from 'node:url';
import { messagesPage, metricsPage } from '../status/reference-pages.ts';
import { bridgeSections, type Sections } from './env.ts';
import { logSection } from './log-section.ts';
import { sampleFile } from './sample.ts';
import { serviceSection } from './service-section.ts';
import { settingsPage } from './settings-page.ts';

const config = (name: string) => fileURLToPath(new URL(`../../config/${name}`, import.meta.url));

const bridgeHead = [
  'pbx-bridge: settings of the bridge. Copy this to .env, or to where the service manager reads it.',
  '',
  'What stands open is needed; what is commented out shows its default.',
  'Every variable NAME also as NAME_FILE, the path of a file with the value, or as a systemd credential.',
];

const serviceHead = [
  'pbx-bridge service: settings of the API service. Copy this to .env, or to where the service manager reads it.',
  '',
  'Nothing here is needed; what is commented out shows its default.',
  'Every variable NAME also as NAME_FILE, the path of a file with the value, or as a systemd credential.',
];

const serviceSections: Sections = { service: serviceSection, logging: logSection };

const settingsIntro = `# The settings

This page is made from the code (\`npm run generate\`); a test compares them. Settings are environment variables, from
\`.env\` in the current folder, the file that \`ENV_FILE\` names (\`/etc/pbx-bridge/bridge.env\` and \`service.env\` where the
package is installed), or the service manager. Every \`NAME\` also as \`NAME_FILE\`, the path of a file with the value, or as a
systemd credential. A wrong value is one line that names the variable, what it got and what it takes, and exit code 78.
Where _reload_ says yes, a running bridge takes a new value on \`systemctl reload\` or SIGHUP; the others count from a restart.`;

/** What a running bridge takes anew, in the sample's head. */
function reloadHead(): string[] {
  const names = Object.values(bridgeSections as Sections).flatMap(({ live = [] }) => live);
  return [
    'A running bridge takes these anew on a reload (systemctl reload, or SIGHUP), the others on a restart:',
    `${names.join(', ')}.`,
  ];
}

/** The files that are made from the code's own tables: path to text. A test compares them. */
export function generatedFiles(): Record<string, string> {
  return {
    [config('pbx-bridge.env.example')]: sampleFile([...bridgeHead, ...reloadHead()], bridgeSections),
    [config('pbx-bridge-service.env.example')]: sampleFile(serviceHead, serviceSections),
    [config('settings.md')]: settingsPage(settingsIntro, [
      { title: 'The bridge', sections: bridgeSections, reloads: true },
      { title: 'The service', sections: serviceSections, reloads: false },
    ]),
    [config('messages.md')]: messagesPage(),
    [config('metrics.md')]: metricsPage(),
  };
}
