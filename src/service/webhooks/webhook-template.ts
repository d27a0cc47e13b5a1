import Mustache from 'mustache';
import { plainText } from '../rules/plain-text.ts';
import type { Format, Shape } from './webhook.ts';

/** Characters of a template. */
export const maxTemplate = 8_000;
/** Characters of a body, and parts of a template that make it: lists in lists would multiply. */
const MAX_BODY = 65_536;
const MAX_PARTS = 20_000;

export const contentTypes: Readonly<Record<Format, string>> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  text: 'text/plain; charset=utf-8',
};

/** Why a template, or what it makes of an event, cannot be sent. In one line, with the place. */
export class TemplateError extends Error {}

const textOf = (value: unknown): string =>
  typeof value === 'object' ? JSON.stringify(value) : String(value);
const inJson = (value: unknown) => JSON.stringify(textOf(value).toWellFormed()).slice(1, -1);
const inForm = (value: unknown) => encodeURIComponent(textOf(value).toWellFormed());
/** No line breaks either: a value could add lines. */
const inText = (value: unknown) =>
  textOf(value) === '' ? '' : plainText(textOf(value).replace(/\s+/g, ' '), MAX_BODY);

/** How a value is written: with `{{two}}` braces, and with `{{{three}}}`, which in JSON stand for a whole value. */
const escapes: Readonly<Record<Format, { two(value: unknown): string; three(value: unknown): string }>> = {
  json: { two: inJson, three: (value) => JSON.stringify(value ?? null) },
  form: { two: inForm, three: inForm },
  text: { two: inText, three: inText },
};

/** Looks names up in the data alone: not in what JavaScript's objects, texts and functions have. */
class DataContext extends Mustache.Context {
  declare readonly parent: DataContext | undefined;

  override push(view: unknown): DataContext {
    return new DataContext(view as never, this);
  }
  override lookup(name: string): unknown {
    if (name === '.') return this.view;
    const names = name.split('.');
    for (let context: DataContext | undefined = this; context; context = context.parent) {
      let value: unknown = context.view;
      const isThere = names.every((one) => {
        if (typeof value !== 'object' || value === null || !Object.hasOwn(value, one)) return false;
        value = value[one as never];
        return true;
      });
      if (isThere) return value;
    }
    return undefined;
  }
}

type Token = [type: string, value: string, start: number, end: number, inner?: Token[]];

class Writer extends Mustache.Writer {
  private readonly format: Format;
  private parts = 0;
  private length = 0;

  constructor(format: Format) {
    super();
    this.format = format;
  }
  override renderTokens(tokens: string[][], context: Mustache.Context): string {
    this.parts += tokens.length;
    const rendered = super.renderTokens(tokens, context);
    this.length += rendered.length;
    if (this.parts > MAX_PARTS || this.length > 2 * MAX_BODY)
      throw new TemplateError(`The body would be longer than ${MAX_BODY / 1024} KB.`);
    return rendered;
  }
  override escapedValue([, name]: string[], context: Mustache.Context): string {
    const value: unknown = context.lookup(name as string);
    return value === undefined || value === null ? '' : escapes[this.format].two(value);
  }
  override unescapedValue([, name]: string[], context: Mustache.Context): string {
    const value: unknown = context.lookup(name as string);
    if ((value === undefined || value === null) && this.format !== 'json') return '';
    return escapes[this.format].three(value);
  }
}

/** Line and column of an offset, from 1. */
function placeOf(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n');
  return `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
}

/** @throws TemplateError */
function parsed(template: string): Token[] {
  if (template.length > maxTemplate)
    throw new TemplateError(`The template has more than ${maxTemplate} characters.`);
  try {
    const tokens = Mustache.parse(template) as Token[];
    refusePartials(tokens, template);
    return tokens;
  } catch (error) {
    if (error instanceof TemplateError) throw error;
    const { message } = error as Error;
    const [, what = message, at = '0'] = /^(.*) at (\d+)$/s.exec(message) ?? [];
    throw new TemplateError(`${plainText(what)}, ${placeOf(template, Number(at))} of the template.`);
  } finally {
    Mustache.clearCache();
  }
}

function refusePartials(tokens: readonly Token[], template: string): void {
  for (const [type, value, start, , inner] of tokens) {
    if (type === '>')
      throw new TemplateError(
        `There is no other template “${plainText(value, 40)}”, ${placeOf(template, start)} of the template.`,
      );
    if (Array.isArray(inner)) refusePartials(inner, template);
  }
}

/**
 * The body that a template makes of the data.
 * @throws TemplateError
 */
export function renderBody({ format, template }: Shape, view: object): string {
  const writer = new Writer(format);
  const context = new DataContext(view as never, undefined as never);
  const rendered = writer.renderTokens(parsed(template) as never, context);
  const body = format === 'form' ? formOf(rendered) : rendered;
  if (body.length > MAX_BODY) throw new TemplateError(`The body would be longer than ${MAX_BODY / 1024} KB.`);
  if (format === 'json') checkJson(body);
  return body;
}

/** A field a line, or several with `&`. What the template has between the values is encoded where it must be. */
function formOf(rendered: string): string {
  const fields = rendered.split('\n').map((line) => line.trim());
  const body = fields
    .filter((line) => line !== '')
    .join('&')
    .replace(/[^\w.~!*'()%&=+[\]-]/gu, (character) => encodeURIComponent(character.toWellFormed()))
    .replace(/[[\]]/g, encodeURIComponent);
  const wrong = /%(?![\da-f]{2})/i.exec(body);
  if (wrong) throw new TemplateError(`Write a percent sign as %25, column ${wrong.index + 1} of the body.`);
  return body;
}

function checkJson(body: string): void {
  try {
    JSON.parse(body);
  } catch (error) {
    // It quotes what is around the place, or says where that is.
    const what = (error as Error).message.replace(/\s+/g, ' ');
    throw new TemplateError(`The body is no JSON: ${plainText(what)}.`);
  }
}
