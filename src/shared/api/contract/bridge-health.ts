import { z } from 'zod';

/**
 * The problems of a bridge, its version and its queue, for the page of its integration and the list of all bridges: an
 * addition of our own service, sent only with API_EXTRAS=yes. Not part of the document.
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
  /** Absent: a bridge of before 1.0. */
  version: text(50).optional(),
  /** Events that wait to be delivered, and for how long the oldest has waited, ms. */
  queue: z.object({ events: z.int().min(0), oldestMs: z.int().min(0) }).optional(),
});

/** What the answer says: which additions of ours to call events the service takes. Absent: a service of before 1.0.1. */
export const bridgeHealthReplySchema = z.object({ takes: z.array(text(50)).max(50).optional() });
export const serviceTakes = ['past'] as const;

export type BridgeHealth = z.output<typeof bridgeHealthSchema>;
