import type { Missed } from '../../shared/api/contract/call-extras.ts';

/** Where a channel is in the dialplan. */
export type Place = { readonly context: string; readonly exten: string; readonly priority: string };

/** An extension of the dialplan; all of the context without `exten`. */
export type DialplanPart = { readonly context: string; readonly exten?: string };

/** A line of the dialplan: the arguments of its application, as they are written. */
export type DialplanLine = { readonly exten: string; readonly data: string };

/** Where a missed call ended, and its name (queue, mailbox, menu, extension). */
export type MissedPlace = Pick<Missed, 'where' | 'name'>;

/** Where callers end in the dialplans that FreePBX and Issabel write, by context. `$1` is a part of it, `$x` the extension. */
const places: readonly (readonly [context: RegExp, text: string, where?: Missed['where']])[] = [
  [/^ext-queues$/, 'queue $x', 'queue'],
  [/^(?:ext-group|grps)$/, 'ring group $x', 'ringing'],
  [/^ext-findmefollow$|^followme-/, 'follow-me of $x', 'ringing'],
  // FreePBX 17 dials there, with the extension or the group as the extension; 16 in these, as `s`.
  [/^dial(?:One|-ext)?-with-exten$/, 'the telephones of $x', 'ringing'],
  [/^macro-(?:dial(?:-one|-confirm)?|exten-vm)$/, 'the telephones', 'ringing'],
  [/^ivr-(\d+)/, 'IVR $1', 'ivr'],
  [/^app-announcement-(\d+)/, 'announcement $1', 'announcement'],
  [/^(?:macro-vm|macro-get-vmcontext|app-vmblast|vm-callme|sub-vm)/, 'voicemail', 'voicemail'],
  [/^ext-(?:meetme|conferences)$/, 'conference $x'],
  [/^ext-fax$/, 'the fax receiver', 'fax'],
  // FreePBX's, and that of our sample.
  [/^(?:app-blacklist-check|pbx-bridge-blocked)$/, 'the blacklist', 'blocked'],
  [/^(?:park|parkedcalls)/, 'parking'],
  [/^(?:app-)?directory/, 'directory'],
  [/^(?:disa|app-disa)/, 'DISA'],
  [/^timeconditions$/, 'time condition $x'],
  [/^app-blackhole$/, 'the dialplan itself (terminate call)', 'terminated'],
];

/** The variables of FreePBX that name what a place does not, by its context: whose voicemail, and which group is dialled. */
export const variablesAt: readonly (readonly [context: RegExp, variable: 'MEXTEN' | 'NODEST'])[] = [
  [/^macro-vm$/, 'MEXTEN'],
  [/^macro-dial$/, 'NODEST'],
];

/** Where a channel is in the dialplan, as a technician says it: `queue 700`, `voicemail of 101`, or extension and context. */
export function placeText(context: string, exten: string): string {
  if (context === '') return '';
  const at = `extension ${exten} in context ${context}`;
  const mailbox = mailboxOf(exten);
  if (mailbox !== undefined) return `voicemail of ${mailbox} (${at})`;
  const found = places.find(([pattern]) => pattern.test(context));
  if (found === undefined) return at;
  const [pattern, text] = found;
  const [, part = ''] = pattern.exec(context) ?? [];
  return `${text.replace('$1', part).replace('$x', exten)} (${at})`;
}

/** Where a call ended by its place in a dialplan of FreePBX; empty if that says nothing. */
export function missedPlaceAt({ context, exten }: Pick<Place, 'context' | 'exten'>): MissedPlace {
  const mailbox = mailboxOf(exten);
  if (mailbox !== undefined) return { where: 'voicemail', name: mailbox };
  const [pattern, text, where] = places.find(([pattern]) => pattern.test(context)) ?? [];
  if (pattern === undefined || where === undefined) return {};
  const name = pattern.exec(context)?.[1] ?? (text?.endsWith('$x') ? exten : '');
  return named(where, name);
}

/**
 * Where in FreePBX's dialplan it is written what this place alone does not say: whose voicemail callers of the place before
 * come to, and which time condition leads here.
 */
export function writtenWhere({ where, name }: MissedPlace, before: MissedPlace | undefined): DialplanPart[] {
  if (where === 'announcement' || where === 'terminated') return [{ context: 'timeconditions' }];
  const exten = before?.name;
  if (where !== 'voicemail' || name !== undefined || exten === undefined) return [];
  if (before?.where === 'ivr') return [{ context: `ivr-${exten}` }];
  if (before?.where === 'announcement') return [{ context: `app-announcement-${exten}` }];
  const contexts = before?.where === 'queue' ? ['ext-queues'] : ['ext-group', 'ext-findmefollow'];
  return contexts.map((context) => ({ context, exten }));
}

/** The mailbox to which these lines lead; undefined if it is none or more than one. */
export function mailboxIn(lines: readonly DialplanLine[]): string | undefined {
  const found = lines.flatMap(({ data }) =>
    [...data.matchAll(/\bext-local,(?:vm[usbi]?(\d+)|(\d+),dest)/g)].map(([, box, own]) => box ?? own),
  );
  return new Set(found).size === 1 ? found[0] : undefined;
}

/**
 * The time condition that leads to this place when it is closed, the first of its two destinations; undefined if it is none or
 * more than one.
 */
export function closedBy(lines: readonly DialplanLine[], { where, name }: MissedPlace): string | undefined {
  const context = where === 'announcement' ? `app-announcement-${name},` : 'app-blackhole,';
  const first = new Map<string, string>();
  for (const { exten, data } of lines) {
    const leads = /"\$\{TCRETURN\}"\s*!=\s*"RETURN"\]\?(.*)$/.exec(data)?.[1];
    if (leads !== undefined && !first.has(exten)) first.set(exten, leads);
  }
  const found = [...first].filter(([, leads]) => leads.startsWith(context));
  return found.length === 1 ? found[0]?.[0] : undefined;
}

/** The applications in which callers end, and what their arguments name. Source: docs.asterisk.org, "Dialplan Applications". */
const applications: Readonly<Record<string, MissedPlace['where']>> = {
  voicemail: 'voicemail',
  queue: 'queue',
  dial: 'ringing',
  retrydial: 'ringing',
  followme: 'ringing',
  background: 'ivr',
  waitexten: 'ivr',
  read: 'ivr',
  playback: 'announcement',
  receivefax: 'fax',
  zapateller: 'blocked',
  transfer: 'terminated',
};

/** True for the application that hands a caller back to the provider, to be connected with another number. */
export const isSendingAway = (application: string): boolean => application.toLowerCase() === 'transfer';

/** Where a call ended by the application that was running, such as `Queue` with `sales,t`; empty if that says nothing. */
export function missedPlaceIn(application: string, data: string): MissedPlace {
  const name = application.toLowerCase();
  const where = Object.hasOwn(applications, name) ? applications[name] : undefined;
  if (where === undefined) return {};
  if (where === 'queue' || where === 'voicemail') return named(where, /^[^,@&]*/.exec(data)?.[0] ?? '');
  return { where };
}

/** Names have a letter or digit; a variable of the dialplan and the extensions of Asterisk's own are none. */
export function named(where: Missed['where'], name: string): MissedPlace {
  const isName = /^[\p{L}\p{N}][^\p{Cc}${}]*$/u.test(name) && name.length <= 64 && !/^[hsti]$/.test(name);
  return isName ? { where, name } : { where };
}

function mailboxOf(exten: string): string | undefined {
  return /^vm[usbi]?(\d+)$/.exec(exten)?.[1];
}

const texts: Readonly<Record<NonNullable<Missed['where']>, (name: string) => string>> = {
  voicemail: (name) => `in voicemail${name && ` of ${name}`}`,
  queue: (name) => (name ? `in queue ${name}` : 'in a queue'),
  ringing: (name) => `at ${name || 'the telephones'}`,
  ivr: (name) => (name ? `in menu ${name}` : 'in a menu'),
  announcement: (name) => (name ? `in announcement ${name}` : 'in an announcement'),
  fax: () => 'at the fax receiver',
  blocked: () => 'at the blacklist',
  terminated: (name) => `by the dialplan${name && `, closed by ${name}`}`,
};

/** `missed: gave up after 12 s in queue sales` */
export function missedText({ where, name = '', by, after }: Missed): string {
  const time = after === undefined ? '' : ` after ${after} s`;
  const place = where === undefined ? '' : ` ${texts[where](name)}`;
  if (by === 'caller') return `missed: gave up${time}${place}`;
  if (by === 'pbx' && where === 'ringing')
    return `missed: nobody answered${time && ` within ${after} s`}${place}`;
  return time + place === '' ? 'missed' : `missed: ended${time}${place}`;
}
