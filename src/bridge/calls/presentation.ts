import type { Presentation } from './input.ts';
import type { Trunk } from './trunk.ts';

/**
 * The channel variables that say whether the caller lets the number be shown. FreePBX's inbound routes allow every number
 * a few milliseconds after Newchannel; what the caller wanted is in the second then, in releases before 13 and in Issabel
 * in the third. The ANI has the presentation as it came in, since dialplans change the CALLERID only.
 */
export const presentationVariables = [
  'CALLERID(num-pres)',
  'CALLINGNUMPRES_SV',
  'CALLINGPRES_SV',
  'CALLERID(ani-num-pres)',
] as const;

/** What the values of these variables say, in the same order. */
export function readPresentation(values: readonly string[]): Presentation {
  if (values.some((value) => value.startsWith('prohib'))) return 'prohibited';
  const [now = ''] = values;
  if (now.startsWith('unavail')) return 'unavailable';
  return now.startsWith('allowed') ? 'allowed' : 'unknown';
}

/**
 * The presentation to assume of a number of which nothing says it: neither the PBX, which cannot be asked any more, nor a
 * call record. Most trunks remove the number of a caller who withholds it; one that has passed one on may have done it again.
 */
export function presumedPresentation(trunk: Trunk | undefined): 'allowed' | 'prohibited' {
  return trunk?.reveals ? 'prohibited' : 'allowed';
}
