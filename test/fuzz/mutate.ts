/** Bytes that parsers trip over, beside those that a target brings itself. */
const pieces = [
  '\r\n',
  '\n',
  '\r\n\r\n',
  '\0',
  ':',
  ': ',
  ',',
  '"',
  '""',
  '{',
  '[',
  '__proto__',
  'constructor',
  '%00',
  '%0a',
  '\xff\xfe',
  '\xc3\x28',
  '\ud800',
  '-1',
  '4294967296',
  '1e309',
].map((text) => Buffer.from(text, 'utf8'));

export type Mutator = (input: Buffer, other: Buffer) => Buffer;

/** Changes an input as damage and malice would; `other` is a second input to take pieces from. */
export function createMutator(random: () => number, words: readonly string[], maxBytes: number): Mutator {
  const dictionary = [...pieces, ...words.map((word) => Buffer.from(word))];
  const below = (limit: number) => Math.floor(random() * limit);
  const cut = (input: Buffer): [number, number] => {
    const from = below(input.length + 1);
    return [from, Math.min(input.length, from + 1 + below(random() < 0.5 ? 8 : 200))];
  };
  const spliced = (input: Buffer, from: number, to: number, piece: Buffer) =>
    Buffer.concat([input.subarray(0, from), piece, input.subarray(to)]);

  const changes: Mutator[] = [
    (input) => {
      const changed = Buffer.from(input);
      if (changed.length > 0) changed[below(changed.length)] = below(256);
      return changed;
    },
    (input) => {
      const changed = Buffer.from(input);
      if (changed.length > 0) {
        const at = below(changed.length);
        changed[at] = (changed[at] as number) ^ (1 << below(8));
      }
      return changed;
    },
    (input) => spliced(input, ...cut(input), Buffer.alloc(0)),
    (input) => {
      const [from, to] = cut(input);
      return spliced(input, to, to, input.subarray(from, to));
    },
    (input) => {
      const at = below(input.length + 1);
      return spliced(input, at, at, dictionary[below(dictionary.length)] as Buffer);
    },
    (input) => spliced(input, ...cut(input), dictionary[below(dictionary.length)] as Buffer),
    (input, other) => spliced(input, ...cut(input), other.subarray(...cut(other))),
    (input) => input.subarray(0, below(input.length + 1)),
    (input) => {
      const [from, to] = cut(input);
      const piece = input.subarray(from, to);
      return spliced(input, from, from, Buffer.concat(Array.from({ length: 2 + below(60) }, () => piece)));
    },
  ];

  return (input, other) => {
    let changed = input;
    for (let left = 1 + below(4); left > 0; left -= 1)
      changed = (changes[below(changes.length)] as Mutator)(changed, other);
    return changed.subarray(0, maxBytes);
  };
}
