import type { z } from 'zod';
import { metaOf } from '../../../src/cli/config/env.ts';
import { isLive, type Section, type Shape } from '../../../src/cli/config/variable.ts';
import { asMarkdown } from './reference-pages.ts';

type Program = {
  readonly title: string;
  readonly sections: Readonly<Record<string, Section<Shape, unknown>>>;
  /** Whether the program can reload its settings. */
  readonly reloads: boolean;
};

/** Generates the reference page of all settings (`config/settings.md`). */
export function settingsPage(intro: string, programs: readonly Program[]): string {
  const chapters = programs.flatMap(({ title, sections, reloads }) => [
    `## ${title}`,
    ...Object.values(sections).map((section) => `### ${section.title}\n\n${table(section, reloads)}`),
  ]);
  return `${[intro, ...chapters].join('\n\n')}\n`;
}

function table({ shape }: Section<Shape, unknown>, reloads: boolean): string {
  const row = (...cells: string[]) => `| ${cells.join(' | ')} |`;
  const reload = (text: string) => (reloads ? [text] : []);
  const rows = Object.entries(shape).map(([name, schema]) => {
    const { takes = '' } = metaOf(schema);
    const about = asMarkdown(`${schema.description ?? ''} Takes ${takes}.`.trim());
    return row(`\`${name}\``, defaultCell(schema), ...reload(isLive(schema) ? 'yes' : ''), about);
  });
  const head = row('setting', 'default', ...reload('reload'), 'description');
  return [head, head.replace(/[^|]+/g, ' --- ').trim(), ...rows].join('\n');
}

function defaultCell(schema: z.ZodType): string {
  const fallback = defaultOf(schema) ?? '';
  const required = fallback === '' && !schema.safeParse(undefined).success;
  return required ? '**required**' : fallback === '' ? '' : `\`${fallback}\``;
}

/** Width of a line of the sample file. */
const WIDTH = 100;

/**
 * Generates a sample settings file: the description of each variable, what it takes, and its default, commented out.
 * Required variables are empty.
 */
export function sampleFile(
  head: readonly string[],
  sections: Readonly<Record<string, Section<Shape, unknown>>>,
): string {
  const parts = Object.values(sections).map((section) =>
    [
      `### ${section.title}`,
      ...Object.entries(section.shape).map(([name, schema]) => entry(name, schema)),
    ].join('\n\n'),
  );
  return `${[head.map((text) => (text === '' ? '#' : `# ${text}`)).join('\n'), ...parts].join('\n\n')}\n`;
}

function entry(name: string, schema: z.ZodType): string {
  const { takes = '', example } = metaOf(schema);
  const about = wrap(`${schema.description ?? ''} Takes ${takes}.`);
  const fallback = defaultOf(schema);
  const required = fallback === undefined && !schema.safeParse(undefined).success;
  return [...about, `${required ? '' : '#'}${name}=${fallback ?? example ?? ''}`].join('\n');
}

/** The default as written in the file; undefined if there is none. */
export function defaultOf(schema: z.ZodType): string | undefined {
  for (let inner: unknown = schema; inner !== undefined; ) {
    const { def } = inner as { def: { type: string; defaultValue?: unknown; innerType?: unknown } };
    if (def.type === 'prefault') return String(def.defaultValue);
    inner = def.innerType;
  }
  return undefined;
}

function wrap(text: string): string[] {
  const lines: string[] = [];
  let line = '#';
  for (const word of text.trim().split(/\s+/)) {
    if (line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = '#';
    }
    line += ` ${word}`;
  }
  return [...lines, line];
}
