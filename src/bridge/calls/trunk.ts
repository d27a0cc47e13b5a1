import { z } from 'zod';

const sources = ['heard', 'configured', 'added'] as const;

const trunkSchema = z.object({
  /** Technology and endpoint, `PJSIP/provider`. */
  endpoint: z.string().min(1),
  /**
   * `heard`: an inbound call began on it. `configured`: the PBX's configuration gives its calls an inbound context.
   * `added`: an operator said so.
   */
  source: z.enum(sources),
  /** The context in which its calls come in; '' if none is known. */
  context: z.string(),
  /** Unix ms of the first inbound call on it, and of the last one (within a minute). */
  firstAt: z.number().optional(),
  lastAt: z.number().optional(),
  /** How it writes numbers, by its last call: `+49xxxxxxxxxx`. */
  writes: z.string().optional(),
  /** True if it passed on a number that its caller withheld. */
  reveals: z.literal(true).optional(),
});

/** An endpoint and the evidence that it is a trunk. */
export type Trunk = Readonly<z.infer<typeof trunkSchema>>;

/** A trunk as the outbox stores it: `source`, which it must not overwrite, and the rest as opaque text. */
export type StoredTrunk = { readonly endpoint: string; readonly source: string; readonly state: string };

export function storedTrunk(trunk: Trunk): StoredTrunk {
  const { endpoint, source, ...state } = trunk;
  return { endpoint, source, state: JSON.stringify(state) };
}

/** A saved trunk; undefined if another version wrote it, or the disk changed it. */
export function readTrunk({ endpoint, source, state }: StoredTrunk): Trunk | undefined {
  try {
    return trunkSchema.parse({ ...JSON.parse(state), endpoint, source });
  } catch {
    return undefined;
  }
}
