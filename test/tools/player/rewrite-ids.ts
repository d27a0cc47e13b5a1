/**
 * Gives a recording's channels and bridges names of their own, so that it can be played many times, also
 * at the same time: Asterisk never uses a name twice.
 */
type IdRewriter = (frame: Buffer) => Buffer;

/** Counts what a player has named so far. */
export type IdSource = { channels: number; names: number; bridges: number };

const keysOfUniqueids = /^[A-Za-z]*(?:uniqueid|linkedid): (?:.*-)?(\d{9,11}\.\d+)$/gim;
const uniqueids = /\b(\d{9,11})\.\d+\b/g;
const channelNames = /\b([A-Za-z]\w*\/[^\s;,&|<>]*-)[0-9a-f]{8}(?![0-9a-f-])/g;
const bridgeIds = /\b[0-9a-f]{8}(-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\b/g;

/**
 * @param shiftMs how much later than recorded it is played, so that a Uniqueid begins with the second in
 * which its channel is created again.
 */
export function createIdRewriter(source: IdSource, shiftMs: number): IdRewriter {
  const channels = new Map<string, string>();
  const names = new Map<string, string>();
  const bridges = new Map<string, string>();

  function rewrite(frame: Buffer): Buffer {
    const text = frame.toString('latin1');
    for (const [, id = ''] of text.matchAll(keysOfUniqueids)) {
      if (!channels.has(id)) channels.set(id, `${later(id, shiftMs)}.${++source.channels}`);
    }
    const renamed = text
      .replace(bridgeIds, (id, rest) => remember(bridges, id, () => hex(++source.bridges) + rest))
      .replace(channelNames, (name, stem) => remember(names, name, () => stem + hex(++source.names)))
      .replace(uniqueids, (id) => channels.get(id) ?? id);
    return Buffer.from(renamed, 'latin1');
  }

  return rewrite;
}

function remember(names: Map<string, string>, name: string, make: () => string): string {
  const known = names.get(name);
  if (known !== undefined) return known;
  const made = make();
  names.set(name, made);
  return made;
}

function later(uniqueid: string, shiftMs: number): number {
  return Number.parseInt(uniqueid, 10) + Math.round(shiftMs / 1000);
}

function hex(count: number): string {
  return count.toString(16).padStart(8, '0');
}
