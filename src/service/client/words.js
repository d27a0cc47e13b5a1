/** The words of the calls now (words/*.ts, area `bar`), from the server in the user's language. */

/** @type {Record<string, string>} */
export const words = JSON.parse(document.getElementById('now')?.dataset.words ?? '{}');

/**
 * A text with its places filled by anything, such as elements, as a list.
 * @param {string | undefined} text
 * @param {Record<string, unknown>} values
 */
export function parts(text, values) {
  return (text ?? '').split(/(\{\w+\})/).map((part) => {
    const [, name = ''] = /^\{(\w+)\}$/.exec(part) ?? [];
    return values[name] ?? part;
  });
}

/**
 * A text with its places filled: `filled('Call from {name}', { name })`.
 * @param {string | undefined} text
 * @param {Record<string, string | number>} values
 */
export const filled = (text, values) => parts(text, values).join('');
