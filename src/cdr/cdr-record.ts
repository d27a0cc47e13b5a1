/**
 * The fields used of one of Asterisk's call records (CDR); a call can have several. Times are left out on purpose: they
 * are in local time without a zone unless `usegmtime=yes`. The uniqueid identifies the call and tells when it began, in
 * UTC.
 */
export type CdrRecord = {
  readonly src: string;
  readonly dst: string;
  readonly dcontext: string;
  readonly channel: string;
  /** The channel at the other end; '' if there was none. */
  readonly dstchannel: string;
  readonly lastapp: string;
  readonly lastdata: string;
  /** `ANSWERED`, `NO ANSWER`, `BUSY`, `FAILED`, `CONGESTION`. */
  readonly disposition: string;
  readonly uniqueid: string;
  /** The number called from outside, which FreePBX records for inbound calls; '' otherwise. */
  readonly did: string;
};

/** The format of Asterisk's uniqueids is `[systemname-]seconds.count`. */
export function isUniqueid(text: string): boolean {
  return /^(?:.+-)?\d+\.\d+$/.test(text);
}

/** When the call began, Unix ms, in whole seconds. */
export function beganAt({ uniqueid }: Pick<CdrRecord, 'uniqueid'>): number {
  return Number(/(\d+)\.\d+$/.exec(uniqueid)?.[1] ?? 0) * 1_000;
}
