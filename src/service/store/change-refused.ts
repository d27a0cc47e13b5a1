import type { Words } from '../words/words.ts';

/** A change that the store refuses. `message`: in English; `text`: as a page shows it. */
export class ChangeRefused extends Error {
  readonly statusCode: 409 | 422;
  readonly text: (words: Words) => string;
  constructor(statusCode: 409 | 422, message: string, text: (words: Words) => string) {
    super(message);
    this.statusCode = statusCode;
    this.text = text;
  }
}
