/** The bar's words (words/*.ts, area `bar`), from the server in the user's language. */

/** @type {Record<string, string>} */
export const words = JSON.parse(document.getElementById('bar')?.dataset.words ?? '{}');

/**
 * A text with its places filled: `filled('Call from {name}', { name })`.
 * @param {string | undefined} text
 * @param {Record<string, string | number>} values
 */
export function filled(text, values) {
  return (text ?? '').replace(/\{(\w+)\}/g, (place, name) => String(values[name] ?? place));
}
