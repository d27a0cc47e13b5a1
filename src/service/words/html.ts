import htm from 'htm';
import { Fragment, h, type VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';

/** The package's types describe a CommonJS module, but it is an ES module. */
const bound = htm as unknown as typeof htm.default;

/** A piece of a page. Any other value in a template is escaped as text. */
export type Html = VNode | string | number | null | false | undefined | readonly Html[];

/** `html\`<p>${name}</p>\``: a template of a page. Write characters directly: entities are not decoded. */
export const html: (strings: TemplateStringsArray, ...values: unknown[]) => Html = bound.bind(h);

export function render(piece: Html): string {
  return renderToString(h(Fragment, null, piece as VNode));
}
