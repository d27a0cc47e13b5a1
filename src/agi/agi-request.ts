/** What the dialplan asks: the lines that Asterisk sends when it has connected, as far as they matter here. */
export type AgiRequest = {
  /** What is called in `agi://host/script?query`, such as `priority`. */
  readonly script: string;
  /** The caller's number as the PBX or the dialplan's author wrote it; '' if there is none to look up. */
  readonly number: string;
  /** True if it is the number of the caller on this channel; false if the dialplan's author wrote one. */
  readonly isOwn: boolean;
  /** The Uniqueid of the channel that asks; '' if it does not say. */
  readonly uniqueid: string;
  /** What `?queue_prio=` says; absent if it says nothing. */
  readonly queuePrio?: boolean;
};

/** The lines that matter. */
const wanted =
  /^(agi_network_script|agi_request|agi_uniqueid|agi_callerid|agi_callingpres|agi_arg_1):(.*)$/gm;

/**
 * Reads `agi_name: value` lines. A value may hold colons; a line that is none of ours is passed over; of two lines
 * of one name the first counts, because a caller's name, which comes later, is anybody's text.
 * @see https://docs.asterisk.org/Configuration/Interfaces/Asterisk-Gateway-Interface-AGI/
 */
export function readRequest(text: string): AgiRequest {
  const fields = new Map<string, string>();
  for (const [, name = '', value = ''] of text.matchAll(wanted))
    if (!fields.has(name)) fields.set(name, value.trim());
  const address = fields.get('agi_network_script') ?? pathOf(fields.get('agi_request') ?? '');
  const [path, query] = cut(address, '?');
  const parameters = readQuery(query);
  const given = fields.get('agi_arg_1') || parameters.get('number') || '';
  const queuePrio = parameters.get('queue_prio');
  return {
    script: path.replace(/^\/|\/$/g, ''),
    number: given || callerOf(fields),
    isOwn: given === '',
    uniqueid: fields.get('agi_uniqueid') ?? '',
    ...((queuePrio === 'yes' || queuePrio === 'no') && { queuePrio: queuePrio === 'yes' }),
  };
}

/** The caller's own number, unless the caller asked that it be kept back (Q.931's presentation indicator). */
function callerOf(fields: ReadonlyMap<string, string>): string {
  const octet = Number.parseInt(fields.get('agi_callingpres') ?? '', 10);
  return (octet & 0x60) === 0x20 ? '' : (fields.get('agi_callerid') ?? '');
}

/** `agi://host:port/script?query` without what comes before the script. */
function pathOf(request: string): string {
  return /^h?agi:\/\/[^/]*\/(.*)$/.exec(request)?.[1] ?? '';
}

/** A plus stays a plus: a dialplan's author writes `?number=${CALLERID(num)}`, not a web form. */
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
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function cut(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}
