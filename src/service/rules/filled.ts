/** A text with its places filled by anything, such as elements, as a list. */
export function parts(text: string, values: Readonly<Record<string, unknown>>): unknown[] {
  return text.split(/(\{\w+\})/).map((part) => {
    const [, name = ''] = /^\{(\w+)\}$/.exec(part) ?? [];
    return values[name] ?? part;
  });
}

/** A text with its places filled: `filled('Call from {name}', { name })`. */
export const filled = (text: string, values: Readonly<Record<string, string | number>>): string =>
  parts(text, values).join('');
