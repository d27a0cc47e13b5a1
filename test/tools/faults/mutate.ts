/** One way of damaging a file: what was done, and the bytes after it. */
type Mutation = { readonly what: string; readonly bytes: Buffer };

const page = 4_096;

/** Damages a file as a failing disk, a failing memory or a stranger would; never gives the same bytes back. */
export function mutate(original: Buffer, random: () => number): Mutation {
  if (original.length === 0) throw new Error('there is nothing to damage in an empty file');
  const below = (limit: number) => Math.floor(random() * limit);
  const bytes = Buffer.from(original);
  const pages = Math.max(1, Math.floor(bytes.length / page));
  const ways: (() => Mutation)[] = [
    () => {
      const count = 1 + below(8);
      const places = Array.from({ length: count }, () => below(bytes.length));
      for (const at of places) bytes[at] = (bytes[at] ?? 0) ^ (1 << below(8));
      return { what: `${count} bits flipped, the first at ${places[0]}`, bytes };
    },
    () => {
      const at = below(Math.min(bytes.length, 100));
      bytes[at] = (bytes[at] ?? 0) ^ (1 << below(8));
      return { what: `a bit flipped in the header, at ${at}`, bytes };
    },
    () => {
      const length = below(bytes.length);
      return { what: `truncated from ${bytes.length} to ${length}`, bytes: bytes.subarray(0, length) };
    },
    () => {
      const length = below(pages) * page;
      return {
        what: `truncated from ${bytes.length} to ${length / page} pages`,
        bytes: bytes.subarray(0, length),
      };
    },
    () => {
      const [first, count] = [below(pages), 1 + below(3)];
      bytes.fill(0, first * page, Math.min((first + count) * page, bytes.length));
      return { what: `${count} pages zeroed from page ${first}`, bytes };
    },
    () => {
      const from = below(bytes.length);
      const length = 1 + below(20_000);
      for (let at = from; at < Math.min(from + length, bytes.length); at += 1) bytes[at] = below(256);
      return { what: `${length} bytes of noise at ${from}`, bytes };
    },
    () => {
      const [from, to] = [below(pages), below(pages)];
      bytes.copy(bytes, to * page, from * page, (from + 1) * page);
      return { what: `page ${from} written over page ${to}`, bytes };
    },
  ];
  for (;;) {
    const mutation = (ways[below(ways.length)] as () => Mutation)();
    if (!mutation.bytes.equals(original)) return mutation;
  }
}

const headerSize = 32;
const frameHeaderSize = 24;

/**
 * Whether a WAL that was damaged still bears a whole transaction behind the damage: then it can be seen that
 * something is missing. Else it looks like a WAL that was never longer, and nothing on the disk could show it.
 */
export function showsDamage(original: Buffer, damaged: Buffer): boolean {
  let first = 0;
  while (first < damaged.length && original[first] === damaged[first]) first += 1;
  const salts = original.subarray(16, 24);
  for (let at = headerSize; at + frameHeaderSize + page <= damaged.length; at += frameHeaderSize + page) {
    const commits = damaged.readUInt32BE(at + 4) !== 0 && damaged.subarray(at + 8, at + 16).equals(salts);
    if (commits && at > first) return true;
  }
  return false;
}
