/** Parses JSON; undefined if it is invalid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** A string in JSON, to be found in a text. One that does not end goes on to the end of the text, so that no text takes long. */
export const stringInJson = /"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$)/s;

/** The message of an error, or the text of anything else that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
