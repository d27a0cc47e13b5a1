/** What is missing without an answer to these actions. Only the login and CoreShowChannels are needed. */
const missing: Readonly<Record<string, string>> = {
  BridgeList: 'conferences that are in progress at the start are not recognised',
  CoreSettings: 'the version of Asterisk is unknown',
  DeviceStateList: 'trunks are known only from their calls',
  Getvar: 'the contexts of trunks and how long call records are held back are unknown',
  ListCommands: 'the rights of the manager user are not checked',
  Ping: 'the channels are read instead, to see whether the link works',
  ShowDialPlan: 'where missed calls ended is named by its place in the dialplan',
  Status:
    'who withholds the number is unknown: such callers are not reported from trunks that reveal withheld numbers',
};

export function missingWithout(action: string): string {
  return missing[action] ?? 'the bridge goes on without it';
}
