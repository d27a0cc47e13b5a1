import type { z } from 'zod';
import { metaOf } from './env.ts';
import { defaultOf } from './sample.ts';
import type { Section, Shape } from './section.ts';

type Program = {
  readonly title: string;
  readonly sections: Readonly<Record<string, Section<Shape, unknown>>>;
  /** Whether it takes settings anew while it runs. */
  readonly reloads: boolean;
};

/** The table of all settings of these programs, for people who look one up; what the sample file says, to read. */
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
    return row(`\`${name}\``, standing(schema), ...reload(live.includes(name) ? 'yes' : ''), about);
  });
  const head = row('setting', 'default', ...reload('reload'), 'what it is');
  return [head, head.replace(/[^|]+/g, ' --- ').trim(), ...rows].join('\n');
}

function standing(schema: z.ZodType): string {
  const fallback = defaultOf(schema) ?? '';
  const needed = fallback === '' && !schema.safeParse(undefined).success;
  return needed ? '**needed**' : fallback === '' ? '' : `\`${fallback}\``;
}

function asMarkdown(text: string): string {
  return text.trim().replace(/[|<>*_]/g, (character) => `\\${character}`);
}
