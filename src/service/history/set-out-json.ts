/** People write none deeper. What is set out grows with each level. */
const MAX_DEPTH = 20;
/** Characters; four times as many as a request has. */
const MAX_SET_OUT = 256 * 1024;

/** Finds what nests in JSON, past its strings. */
const marks = /"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$)|[[{\]}]/gs;

/** An object or a list set out in lines; undefined if the text is no such JSON, or it is too deep or would be too long. */
export function setOutJson(text: string): string | undefined {
  if (depthOf(text) > MAX_DEPTH) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    const setOut = JSON.stringify(value, null, 2);
    return typeof value === 'object' && value !== null && setOut.length <= MAX_SET_OUT ? setOut : undefined;
  } catch {
    return undefined;
  }
}

/** How deep the objects and lists in a text of JSON are within each other, at most. */
function depthOf(text: string): number {
  let depth = 0;
  let most = 0;
  for (const [mark] of text.matchAll(marks)) {
    if (mark === '[' || mark === '{') most = Math.max(most, ++depth);
    else if (mark === ']' || mark === '}') depth -= 1;
  }
  return most;
}
