import type { z } from 'zod';
import { metaOf } from './env.ts';
import { defaultOf } from './sample.ts';
import type { Section, Shape } from './section.ts';

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

function table({ shape, live = [] }: Section<Shape, unknown>, reloads: boolean): string {
  const row = (...cells: string[]) => `| ${cells.join(' | ')} |`;
  const reload = (text: string) => (reloads ? [text] : []);
  const rows = Object.entries(shape).map(([name, schema]) => {
    const { takes = '' } = metaOf(schema);
    const about = asMarkdown(`${schema.description ?? ''} Takes ${takes}.`);
    return row(`\`${name}\``, defaultCell(schema), ...reload(live.includes(name) ? 'yes' : ''), about);
  });
  const head = row('setting', 'default', ...reload('reload'), 'description');
  return [head, head.replace(/[^|]+/g, ' --- ').trim(), ...rows].join('\n');
}

function defaultCell(schema: z.ZodType): string {
  const fallback = defaultOf(schema) ?? '';
  const required = fallback === '' && !schema.safeParse(undefined).success;
  return required ? '**required**' : fallback === '' ? '' : `\`${fallback}\``;
}

function asMarkdown(text: string): string {
  return text.trim().replace(/[|<>*_]/g, (character) => `\\${character}`);
}
