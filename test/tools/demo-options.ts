import { parseArgs } from 'node:util';

const usage = `npm run demo -- [--seconds N] [--off N]
Runs the service, the bridge and a simulated PBX as a made-up office, and prints an address to open.
--seconds  stop after N s; with Ctrl-C when absent
--off      a service that was killed is started again after N s; 30 when absent
`;

export function readOptions() {
  const options = {
    seconds: { type: 'string' },
    off: { type: 'string', default: '30' },
    help: { type: 'boolean', default: false },
  } as const;
  try {
    const { values } = parseArgs({ options });
    if (!values.help) return values;
    process.stdout.write(usage);
    process.exit(0);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n${usage}`);
    process.exit(2);
  }
}
