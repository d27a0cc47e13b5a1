/** The oldest Asterisk that is supported. */
export const OLDEST_ASTERISK = 16;

/** With each change, in CI: calls on the real Asterisk. */
const LIVE: readonly number[] = [16, 22];
/** Once, all calls of the lab on the real one (18.26, 20.20, 23.4); with each change, their recordings. */
const RECORDED: readonly number[] = [18, 20, 23];
const NEWEST = Math.max(...LIVE, ...RECORDED);

/** True for a version that is older; false if it is unknown, or that of another numbering (`GIT-master`). */
export function isTooOld(version: string): boolean {
  return (majorOf(version) ?? OLDEST_ASTERISK) < OLDEST_ASTERISK;
}

/** How this version was tried, for people; undefined if it is too old or unknown. */
export function howTried(version: string): string | undefined {
  const major = majorOf(version);
  if (major === undefined || major < OLDEST_ASTERISK) return undefined;
  const name = `Asterisk ${major}`;
  if (LIVE.includes(major)) return `each change is tried with ${name}`;
  if (RECORDED.includes(major)) return `${name} was tried, and each change is tried with its recordings`;
  const others = [...LIVE, ...RECORDED].sort((a, b) => a - b).join(', ');
  return major > NEWEST
    ? `${name} is newer than those that were tried: ${others}`
    : `${name} was not tried itself, only ${others}`;
}

/** `18` of `18.9.0` and `certified/18.9-cert4`. */
function majorOf(version: string): number | undefined {
  const [, major] = /^(?:certified[/-])?(\d{1,3})\./.exec(version) ?? [];
  return major === undefined ? undefined : Number(major);
}
