import htm from 'htm';
import { Fragment, h, type VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';

/** Its types are those of a CommonJS module, which it is not. */
const bound = htm as unknown as typeof htm.default;

/** A piece of a page. Everything that is put into a template is text, and escaped, unless it is such a piece. */
export type Html = VNode | string | number | null | false | undefined | readonly Html[];

/** `html\`<p>${name}</p>\``: a template of a page; write characters as they are, entities are not decoded. */
export const html: (strings: TemplateStringsArray, ...values: unknown[]) => Html = bound.bind(h);

export function render(piece: Html): string {
  return renderToString(h(Fragment, null, piece as VNode));
}
