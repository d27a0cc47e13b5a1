import { z } from 'zod';

/**
 * The problems of a bridge, for the page of its integration: an addition of our own service, sent only with
 * API_EXTRAS=yes. Not part of the document.
 */
export const bridgeHealthPath = '/bridge/health';

const text = (max: number) => z.string().max(max);

export const bridgeHealthSchema = z.object({
  problems: z
    .array(
      z.object({
        code: text(100),
        what: text(1000),
        remedy: text(1000),
        /** Unix ms. */
        since: z.int().min(0).max(8.64e15),
      }),
    )
    .max(50),
});

export type BridgeHealth = z.output<typeof bridgeHealthSchema>;
