import { readLines } from './agi-lines.ts';

/** The dialplan's request, from the lines that Asterisk sends after it has connected. */
export type AgiRequest = {
  /** The script of `agi://host/script?query`, such as `priority`. */
  readonly script: string;
  /** The caller's number as the PBX or the dialplan wrote it; '' if there is none to look up. */
  readonly number: string;
  /** True if it is the channel's own caller number; false if the dialplan gave one. */
  readonly isOwn: boolean;
  /** The Uniqueid and the name of the channel; '' if they were not sent. */
  readonly uniqueid: string;
  readonly channel: string;
  /** The number that was called (DNID); '' if Asterisk has none. */
  readonly called: string;
  /** The value of `?queue_prio=`; absent without one. */
  readonly queuePrio?: boolean;
  /** The value of `?set_name=`; absent without one. */
  readonly setName?: boolean;
  /** The value of `?more=`; absent without one. */
  readonly more?: boolean;
};

/**
 * Reads `agi_name: value` lines. A value may hold colons and, as callers choose some, line breaks (see `readLines`).
 * @see https://docs.asterisk.org/Configuration/Interfaces/Asterisk-Gateway-Interface-AGI/
 */
export function readRequest(text: string): AgiRequest {
  const fields = readLines(text);
  const address = fields.get('agi_network_script') ?? pathOf(fields.get('agi_request') ?? '');
  const [path, query] = cut(address, '?');
  const parameters = readQuery(query);
  const given = fields.get('agi_arg_1') || parameters.get('number') || '';
  return {
    script: path.replace(/^\/|\/$/g, ''),
    number: given || callerOf(fields),
    isOwn: given === '',
    uniqueid: fields.get('agi_uniqueid') ?? '',
    channel: fields.get('agi_channel') ?? '',
    called: (fields.get('agi_dnid') ?? '').replace(/^unknown$/, ''),
    ...yesOrNo('queuePrio', parameters.get('queue_prio')),
    ...yesOrNo('setName', parameters.get('set_name')),
    ...yesOrNo('more', parameters.get('more')),
  };
}

function yesOrNo<Name extends string>(name: Name, value: string | undefined): { [K in Name]?: boolean } {
  return value === 'yes' || value === 'no' ? ({ [name]: value === 'yes' } as { [K in Name]?: boolean }) : {};
}

/** The caller's own number, unless the caller withholds it (Q.931's presentation indicator). */
function callerOf(fields: ReadonlyMap<string, string>): string {
  const octet = Number.parseInt(fields.get('agi_callingpres') ?? '', 10);
  return (octet & 0x60) === 0x20 ? '' : (fields.get('agi_callerid') ?? '');
}

/** Returns `script?query` of `agi://host:port/script?query`. */
function pathOf(request: string): string {
  return /^h?agi:\/\/[^/]*\/(.*)$/.exec(request)?.[1] ?? '';
}

/** Parses the query. A plus stays a plus: the dialplan writes `?number=${CALLERID(num)}`, not a form. */
function readQuery(query: string): ReadonlyMap<string, string> {
  return new Map(
    query.split('&').map((pair) => {
      const [name, value] = cut(pair, '=');
      return [name, decode(value)] as const;
    }),
  );
}

function decode(text: string): string {
  try {
    // No line of AGI or of the log has a line break, nor may a number.
    return decodeURIComponent(text)
      .replaceAll(/\p{Cc}/gu, ' ')
      .trim();
  } catch {
    return text;
  }
}

function cut(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}
