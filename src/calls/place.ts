/** Where callers end in the dialplans that FreePBX and Issabel write, by context. `$1` is a part of it, `$x` the extension. */
const places: readonly (readonly [context: RegExp, text: string])[] = [
  [/^ext-queues$/, 'queue $x'],
  [/^(?:ext-group|grps)$/, 'ring group $x'],
  [/^ext-findmefollow$|^followme-/, 'follow-me of $x'],
  [/^ivr-(\d+)/, 'IVR $1'],
  [/^app-announcement-(\d+)/, 'announcement $1'],
  [/^(?:macro-vm|macro-get-vmcontext|app-vmblast|vm-callme|sub-vm)/, 'voicemail'],
  [/^ext-(?:meetme|conferences)$/, 'conference $x'],
  [/^(?:park|parkedcalls)/, 'parking'],
  [/^(?:app-)?directory/, 'directory'],
  [/^(?:disa|app-disa)/, 'DISA'],
  [/^app-blackhole$/, 'the dialplan itself (terminate call)'],
];

/** Where a channel is in the dialplan, as a technician says it: `queue 700`, `voicemail of 101`, or extension and context. */
export function placeText(context: string, exten: string): string {
  if (context === '') return '';
  const at = `extension ${exten} in context ${context}`;
  const [, mailbox] = /^vm[usbi]?(\d+)$/.exec(exten) ?? [];
  if (mailbox !== undefined) return `voicemail of ${mailbox} (${at})`;
  const found = places.find(([pattern]) => pattern.test(context));
  if (found === undefined) return at;
  const [pattern, text] = found;
  const [, part = ''] = pattern.exec(context) ?? [];
  return `${text.replace('$1', part).replace('$x', exten)} (${at})`;
}
