import { readOptions } from './demo-options.ts';

/**
 * `npm run demo`: the office of a property manager, made up. It runs the service, with customers and the calls of the
 * last weeks and of today, the bridge, and a simulated PBX that plays calls over TCP at a human pace.
 */
readOptions();
process.stdout.write('Starting the demo: the calls of some weeks are made up, which takes some seconds.\n');
// All that it needs takes seconds to load.
await import('./office/demo.ts');
