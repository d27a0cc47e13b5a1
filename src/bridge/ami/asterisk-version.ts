/** The oldest Asterisk that the bridge is tested with. */
export const OLDEST_ASTERISK = 16;

/** True for a version that is older; false if it is unknown, or that of another numbering (`certified/18.9`, `GIT-master`). */
export function isTooOld(version: string): boolean {
  const [, major] = /^(?:certified[/-])?(\d{1,3})\./.exec(version) ?? [];
  return major !== undefined && Number(major) < OLDEST_ASTERISK;
}
