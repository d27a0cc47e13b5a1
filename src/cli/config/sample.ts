import type { z } from 'zod';
import { metaOf } from './env.ts';
import type { Section, Shape } from './section.ts';

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
