import htm from './libraries/htm.mjs';
import { h } from './libraries/preact.mjs';

/** `html\`<p>${name}</p>\``: a piece of a page. Values are escaped. */
export const html = htm.bind(h);
export type Html = ReturnType<typeof html>;
