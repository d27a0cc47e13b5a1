import type { CallSettings } from './rules.ts';

/** For tests: those that need others change what they need. */
export const callSettings: CallSettings = {
  pbxId: 'pbx',
  inboundContexts: ['from-trunk*'],
  inboundChannels: [],
  defaultCountry: 'NL',
  trunkNumbers: [],
  reportedNumber: 'trunk',
  notAPerson: [],
  answeredBy: 'endpoint',
  deviceNames: [],
  reportRules: [],
};
