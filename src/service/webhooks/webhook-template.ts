import { LRUCache } from 'lru-cache';
import Mustache from 'mustache';
import { plainText } from '../rules/plain-text.ts';
import type { Format, Shape } from './webhook.ts';

/** Characters of a template. */
export const maxTemplate = 8_000;
/** Tags of a template, sections in sections, characters of a name, its parts between dots, and blanks in a row. */
const MAX_TAGS = 500;
const MAX_DEPTH = 6;
const MAX_NAME = 200;
const MAX_DOTS = 8;
const MAX_BLANKS = 200;
/** Characters of a body. */
const MAX_BODY = 65_536;
/** Parts of names that one body may look up, and tags that may be written for it, some milliseconds: lists in lists multiply. */
const MAX_STEPS = 50_000;

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

/** What one body has cost so far: a template is written by a user, and rendered in the thread that answers all accounts. */
class Work {
  private steps = 0;
  private length = 0;

  /** @throws TemplateError */
  spend(steps: number, length = 0): void {
    this.steps += steps;
    this.length += length;
    refuseLong(this.length);
    if (this.steps > MAX_STEPS)
      throw new TemplateError('The template looks up too many names: it has lists in lists.');
  }
}

/** Looks names up in the data alone: not in what JavaScript's objects, texts and functions have. */
class DataContext extends Mustache.Context {
  declare readonly parent: DataContext | undefined;
  private readonly work: Work;

  constructor(view: unknown, work: Work, parent?: DataContext) {
    super(view as never, parent as never);
    this.work = work;
  }
  override push(view: unknown): DataContext {
    return new DataContext(view, this.work, this);
  }
  override lookup(name: string): unknown {
    if (name === '.') return this.view;
    const names = name.split('.');
    for (let context: DataContext | undefined = this; context; context = context.parent) {
      this.work.spend(names.length);
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
  private readonly work: Work;

  constructor(format: Format, work: Work) {
    super();
    this.format = format;
    this.work = work;
  }
  override renderTokens(tokens: string[][], context: Mustache.Context): string {
    this.work.spend(1 + tokens.length);
    return super.renderTokens(tokens, context);
  }
  override rawValue([, text = '']: string[]): string {
    this.work.spend(0, text.length);
    return text;
  }
  override escapedValue([, name]: string[], context: Mustache.Context): string {
    const value: unknown = context.lookup(name as string);
    return value === undefined || value === null ? '' : this.written(value, escapes[this.format].two);
  }
  override unescapedValue([, name]: string[], context: Mustache.Context): string {
    const value: unknown = context.lookup(name as string);
    if ((value === undefined || value === null) && this.format !== 'json') return '';
    return this.written(value, escapes[this.format].three);
  }
  /** A value may be long and leave nothing: control characters in a text. */
  private written(value: unknown, escaped: (value: unknown) => string): string {
    const text = escaped(value);
    this.work.spend(0, Math.max(text.length, typeof value === 'string' ? value.length : 0));
    return text;
  }
}

/** Line and column of an offset, from 1. */
function placeOf(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n');
  return `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
}

/** Of the templates used last, by their characters: the same few make every body. */
const parsedTemplates = new LRUCache<string, Token[]>({
  maxSize: 500_000,
  sizeCalculation: (_, template) => template.length + 1,
});

/** @throws TemplateError */
function parsed(template: string): Token[] {
  const before = parsedTemplates.get(template);
  if (before) return before;
  if (template.length > maxTemplate)
    throw new TemplateError(`The template has more than ${maxTemplate} characters.`);
  // The parser takes the square of their number.
  const blanks = new RegExp(`\\s{${MAX_BLANKS + 1}}`).exec(template);
  if (blanks)
    throw new TemplateError(
      `More than ${MAX_BLANKS} blanks, ${placeOf(template, blanks.index)} of the template.`,
    );
  try {
    const tokens = Mustache.parse(template) as Token[];
    refuseBeyondLimits(tokens, template);
    parsedTemplates.set(template, tokens);
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

/** Partials, of which there are none, and what no template needs, but would take long to render. */
function refuseBeyondLimits(all: readonly Token[], template: string): void {
  let tags = 0;
  const refuse = (what: string, start: number) => {
    throw new TemplateError(`${what}, ${placeOf(template, start)} of the template.`);
  };
  const look = (tokens: readonly Token[], depth: number): void => {
    for (const [type, value, start, , inner] of tokens) {
      if (type === 'text') continue;
      tags += 1;
      if (type === '>') refuse(`There is no other template “${plainText(value, 40)}”`, start);
      if (tags > MAX_TAGS) refuse(`More than ${MAX_TAGS} tags`, start);
      if (type !== '!' && value.length > MAX_NAME) refuse('A very long name', start);
      if (type !== '!' && value.split('.').length > MAX_DOTS) refuse('A name with very many dots', start);
      if (inner === undefined) continue;
      if (depth > MAX_DEPTH) refuse(`More than ${MAX_DEPTH} sections in one another`, start);
      look(inner, depth + 1);
    }
  };
  look(all, 1);
}

/**
 * The body that a template makes of the data.
 * @throws TemplateError
 */
export function renderBody({ format, template }: Shape, view: object): string {
  const work = new Work();
  const rendered = new Writer(format, work).renderTokens(
    parsed(template) as never,
    new DataContext(view, work),
  );
  const body = format === 'form' ? formOf(rendered) : rendered;
  refuseLong(body.length);
  if (format === 'json') checkJson(body);
  return body;
}

function refuseLong(length: number): void {
  if (length > MAX_BODY) throw new TemplateError(`The body would be longer than ${MAX_BODY / 1024} KB.`);
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
