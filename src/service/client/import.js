/**
 * Reads a CSV file into the page's text field: spreadsheets save UTF-16 or UTF-8 with a byte order mark, UTF-8, or
 * Windows-1252. While an import runs, says how far it is.
 */
export {};

const file = /** @type {HTMLInputElement | null} */ (document.getElementById('f-file'));
const table = /** @type {HTMLTextAreaElement | null} */ (document.getElementById('f-table'));
file?.closest('.field')?.removeAttribute('hidden');
file?.addEventListener('change', async () => {
  const bytes = await file.files?.[0]?.arrayBuffer();
  if (bytes !== undefined && table) table.value = decoded(new Uint8Array(bytes));
});

const progress = document.getElementById('progress');
progress?.closest('form')?.addEventListener('submit', () => {
  setInterval(async () => {
    const answer = await fetch('/customers/import/progress').catch(() => null);
    if (answer?.ok) progress.textContent = await answer.text();
  }, 1_000);
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
