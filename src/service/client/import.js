/**
 * Reads a CSV file into the page's text field. Spreadsheets save UTF-16 or UTF-8 with a byte order mark, UTF-8, or
 * Windows-1252.
 */
export {};

const file = /** @type {HTMLInputElement} */ (document.getElementById('f-file'));
const table = /** @type {HTMLTextAreaElement} */ (document.getElementById('f-table'));
/** @type {HTMLElement} */ (document.getElementById('file')).hidden = false;

file.addEventListener('change', async () => {
  const bytes = await file.files?.[0]?.arrayBuffer();
  if (bytes !== undefined) table.value = decoded(new Uint8Array(bytes));
});

/** @param {Uint8Array} bytes */
function decoded(bytes) {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
