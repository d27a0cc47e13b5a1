import { z } from 'zod';
import { limits } from './decisions.ts';

/**
 * The summary of a certificate (`pbx-bridge certificate --send`), for the page of its integration: an addition of our own
 * service, sent only with API_EXTRAS=yes. Not part of the document.
 */
export const bridgeCertificatePath = '/bridge/certificate';

/** Most differences in a summary, and most calls that are named for each. */
export const mostDifferences = 50;
export const mostNamedCalls = 10;

const count = z.int().min(0);
/** Unix ms. */
const time = z.int().min(0).max(8.64e15);

export const bridgeCertificateSchema = z.object({
  month: z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/),
  /** Of the PBX's machine, in which the month begins and ends. */
  zone: z.string().max(100),
  since: time,
  until: time,
  madeAt: time,
  /** `complete`: all calls arrived. `missing`: some did not. `unproven`: too little is known to say so. */
  verdict: z.enum(['complete', 'missing', 'unproven']),
  /** Inbound calls by the PBX's records, calls that the bridge has reported, and calls that the API has; absent: not comparable. */
  records: count,
  bridge: count,
  api: count.optional(),
  differences: z
    .array(
      z.object({
        weight: z.enum(['missing', 'unproven', 'explained']),
        what: z.string().max(1000),
        count,
        /** Ids of the first ones. */
        calls: z.array(z.string().max(limits.referenceLength)).max(mostNamedCalls),
      }),
    )
    .max(mostDifferences),
});

export type BridgeCertificate = z.output<typeof bridgeCertificateSchema>;
