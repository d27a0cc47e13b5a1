/**
 * What is used of one of Asterisk's records of a call, or of a stretch of it. Times are left out on purpose: they are
 * local without a zone unless `usegmtime=yes`; a call is known by its uniqueid instead, which no time zone and no clock
 * change touches.
 */
export type CdrRecord = {
  readonly src: string;
  readonly dst: string;
  readonly dcontext: string;
  readonly channel: string;
  /** The other end; '' if there was none. */
  readonly dstchannel: string;
  readonly lastapp: string;
  readonly lastdata: string;
  /** `ANSWERED`, `NO ANSWER`, `BUSY`, `FAILED`, `CONGESTION`. */
  readonly disposition: string;
  readonly uniqueid: string;
  /** The number that was called from outside, which FreePBX writes down of inbound calls alone; '' elsewhere. */
  readonly did: string;
};

/** Asterisk makes a uniqueid `[systemname-]seconds.count`. */
export function isUniqueid(text: string): boolean {
  return /^(?:.+-)?\d+\.\d+$/.test(text);
}

/** When the call began, Unix ms, whole seconds. */
export function beganAt({ uniqueid }: Pick<CdrRecord, 'uniqueid'>): number {
  return Number(/(\d+)\.\d+$/.exec(uniqueid)?.[1] ?? 0) * 1_000;
}
