import picomatch from 'picomatch';

// bash: a star crosses slashes, as people expect of `DAHDI/*` and `DAHDI/i1/5551234-1`.
const globOptions = { bash: true, dot: true } as const;

/** True for a text that one of these globs matches; false for every text without globs. */
export function globMatcher(globs: readonly string[], options = {}): (text: string) => boolean {
  if (globs.length === 0) return () => false;
  // picomatch takes the ! of a bracket for one of its characters.
  const patterns = globs.map((glob) => glob.replaceAll('[!', '[^'));
  return picomatch(patterns, { ...globOptions, ...options });
}

/** The same for names of channels. Asterisk finds a technology in any case, so people write them in any. */
export function channelMatcher(globs: readonly string[]): (channel: string) => boolean {
  return globMatcher(globs, { nocase: true });
}

/** Refuses a leading `!`, which matches everything else, and an open bracket, which silently matches nothing. */
export function isGlob(glob: string): boolean {
  try {
    return !glob.startsWith('!') && picomatch.makeRe(glob, { strictBrackets: true }) instanceof RegExp;
  } catch {
    return false;
  }
}
