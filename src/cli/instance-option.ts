import { Option } from 'commander';
import { instanceName } from './config/instances.ts';

/** Of every command that reads settings. The variable is what 1.0 had instead. */
export const instanceOption = () =>
  new Option('--instance <name>', 'use settings and state of the unit pbx-bridge@NAME, such as firm-a')
    .env('PBX_BRIDGE_INSTANCE')
    // As with each variable, empty is not set.
    .argParser((name) => (name === '' && process.env.PBX_BRIDGE_INSTANCE === '' ? '' : instanceName(name)));
