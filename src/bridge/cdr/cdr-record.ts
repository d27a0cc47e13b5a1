/**
 * The fields used of one of Asterisk's call records (CDR); a call can have several. Its times are local without a zone,
 * unless `usegmtime=yes`, and only compared with each other. The uniqueid identifies the call and contains when it began,
 * in UTC.
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
  /** When it began: local s, read as if UTC; undefined if the source does not have it. */
  readonly start?: number | undefined;
  /** Seconds; undefined if the source does not have it. */
  readonly duration?: number | undefined;
  /** Seconds of talking; undefined if the source does not have it. */
  readonly billsec?: number | undefined;
};

/** The local time `2026-11-20 06:49:46` in seconds, read as if UTC; undefined if it is none. */
export function localSeconds(text: string): number | undefined {
  return secondsOf(String(Date.parse(`${text.replace(' ', 'T')}Z`) / 1_000));
}

/** A number of seconds; undefined if the text is none. */
export function secondsOf(text: string): number | undefined {
  const seconds = text === '' ? Number.NaN : Number(text);
  return Number.isFinite(seconds) ? seconds : undefined;
}
