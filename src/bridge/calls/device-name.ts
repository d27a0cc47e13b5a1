/** How the name of a device becomes an extension, such as `99*=*` for the softphones of FreePBX's user panel. */
export type DeviceName = {
  readonly text: string;
  /** True if it is about endpoints (`DAHDI/7`): its pattern has a slash. Others are about names only. */
  readonly isOfEndpoint: boolean;
  /** The extension of a device with this name, or with this endpoint; undefined if it is another's. */
  readonly extensionOf: (name: string) => string | undefined;
};

/** `PATTERN=EXTENSION`: at most one star in each, the pattern's is some of the name, the extension's the same text. */
const entry = /^(?<before>[^=*]*)(?<star>\*?)(?<after>[^=*]*)=(?<start>[^=*]*)(?<again>\*?)(?<end>[^=*]*)$/;

/** Reads an entry of DEVICE_NAMES; undefined if it is none. Upper and lower case are the same, as in Asterisk. */
export function readDeviceName(text: string): DeviceName | undefined {
  const { before = '', star, after = '', start = '', again, end = '' } = entry.exec(text)?.groups ?? {};
  const [isAny, goesOn] = [star === '*', again === '*'];
  if (before + after === '' || start + end + again === '' || (goesOn && !isAny)) return undefined;
  const [head, tail] = [before, after].map((part) => part.toLowerCase());
  return {
    text,
    isOfEndpoint: `${before}${after}`.includes('/'),
    extensionOf(name) {
      const lower = name.toLowerCase();
      const middle = name.slice(before.length, name.length - after.length);
      const fits = lower.startsWith(head ?? '') && lower.endsWith(tail ?? '');
      if (!fits || name.length < before.length + after.length || isAny !== middle.length > 0)
        return undefined;
      return `${start}${goesOn ? middle : ''}${end}`;
    },
  };
}

/** The extension by the first entry that fits the name or the endpoint (`PJSIP/1001`); without one the name itself. */
export function deviceExtension(entries: readonly DeviceName[], name: string, endpoint: string): string {
  for (const { extensionOf, isOfEndpoint } of entries) {
    const found = extensionOf(name) ?? (isOfEndpoint ? extensionOf(endpoint) : undefined);
    if (found !== undefined) return found;
  }
  return name;
}
