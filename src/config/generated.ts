import { fileURLToPath } from 'node:url';
import { messagesPage, metricsPage } from '../ops/pages.ts';
import { bridgeSections } from './env.ts';
import { sampleFile } from './sample.ts';

const config = (name: string) => fileURLToPath(new URL(`../../config/${name}`, import.meta.url));

const bridgeHead = [
  'pbx-bridge: settings of the bridge. Copy this to .env, or to where the service manager reads it.',
  '',
  'What stands open is needed; what is commented out shows its default.',
  'Every variable NAME also as NAME_FILE, the path of a file with the value, or as a systemd credential.',
];

/** The files that are made from the code's own tables: path to text. A test compares them. */
export function generatedFiles(): Record<string, string> {
  return {
    [config('pbx-bridge.env.example')]: sampleFile(bridgeHead, bridgeSections),
    [config('messages.md')]: messagesPage(),
    [config('metrics.md')]: metricsPage(),
  };
}
