import type { BridgeCertificate } from '../../../src/shared/api/contract/bridge-certificate.ts';

/** A certificate as a bridge sends it: of November 2026, complete. Fields may be wrong. */
export const certificate = (fields: Readonly<Record<string, unknown>> = {}): object => {
  const made: BridgeCertificate = {
    month: '2026-11',
    zone: 'Europe/Berlin',
    since: Date.UTC(2026, 9, 31, 23),
    until: Date.UTC(2026, 10, 30, 23),
    madeAt: Date.UTC(2026, 11, 1, 8),
    verdict: 'complete',
    records: 1_234,
    bridge: 1_230,
    api: 1_230,
    differences: [],
  };
  return { ...made, ...fields };
};
