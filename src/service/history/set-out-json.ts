import { parseJson, stringInJson } from '../../shared/process/parse-json.ts';

/** People write none deeper. What is set out grows with each level. */
const MAX_DEPTH = 20;
/** Characters; four times as many as a request has. */
const MAX_SET_OUT = 256 * 1024;

/** Finds what nests in JSON, past its strings. */
const marks = new RegExp(`${stringInJson.source}|[[{\\]}]`, 'gs');

/** An object or a list; undefined if the text is no such JSON. */
export function jsonIn(text: string): object | undefined {
  const value = parseJson(text);
  return typeof value === 'object' && value !== null ? value : undefined;
}

/** An object or a list set out in lines; undefined if the text is no such JSON, or it is too deep or would be too long. */
export function setOutJson(text: string): string | undefined {
  const json = depthOf(text) > MAX_DEPTH ? undefined : jsonIn(text);
  const setOut = json && JSON.stringify(json, null, 2);
  return setOut !== undefined && setOut.length <= MAX_SET_OUT ? setOut : undefined;
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
