/** What Asterisk 22 sends when the dialplan calls `AGI(agi://127.0.0.1:9437/priority)`, but for what a test says. */
export function requestText(
  fields: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
): string {
  const all: Record<string, string> = {
    agi_network: 'yes',
    agi_network_script: 'priority',
    agi_request: 'agi://127.0.0.1:9437/priority',
    agi_channel: 'PJSIP/trunk-00000001',
    agi_language: 'en',
    agi_type: 'PJSIP',
    agi_uniqueid: '1763600000.1',
    agi_version: '22.10.1~dfsg',
    agi_callerid: '+4940669690101',
    agi_calleridname: 'unknown',
    agi_callingpres: '0',
    agi_callingani2: '0',
    agi_callington: '0',
    agi_callingtns: '0',
    agi_dnid: '493023125101',
    agi_rdnis: 'unknown',
    agi_context: 'from-trunk',
    agi_extension: '493023125101',
    agi_priority: '2',
    agi_enhanced: '0.0',
    agi_accountcode: '',
    agi_threadid: '140211234567890',
    ...fields,
    ...Object.fromEntries(args.map((arg, i) => [`agi_arg_${i + 1}`, arg])),
  };
  return `${Object.entries(all)
    .map(([name, value]) => `${name}: ${value}\n`)
    .join('')}\n`;
}
