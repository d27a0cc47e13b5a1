/**
 * How a trunk writes numbers. `auto`: found out from each number. `e164`: international numbers without the plus.
 * `national`: national numbers, with any first digits. `as-is`: digits are not converted.
 */
export type Notation = {
  readonly kind: 'auto' | 'e164' | 'national' | 'as-is';
  /** Digits that the trunk puts before each number, such as the 0 for an outside line; '' for none. */
  readonly strip: string;
  /** The entry of TRUNK_NUMBERS that says so; '' if none does. */
  readonly rule: string;
};

/** The notation of a trunk of which no setting says how it writes. */
export const autoNotation: Notation = { kind: 'auto', strip: '', rule: '' };

const entry = /^(?<glob>[^:]+)(?::(?<kind>e164|national|as-is))?(?::strip=(?<strip>\d{1,8}))?$/;

export type TrunkNotation = { readonly glob: string; readonly notation: Notation };

/** Reads an entry of TRUNK_NUMBERS, such as `PJSIP/pstn-*:national:strip=0`; undefined if it is none. */
export function readTrunkNotation(rule: string): TrunkNotation | undefined {
  const { glob, kind, strip } = entry.exec(rule)?.groups ?? {};
  if (glob === undefined || (kind === undefined && strip === undefined)) return undefined;
  return { glob, notation: { kind: (kind ?? 'auto') as Notation['kind'], strip: strip ?? '', rule } };
}
