import { type Message, messages } from '../log/messages.ts';
import { createMetrics } from './metrics.ts';

const generated = 'This page is made from the code (`npm run generate`); a test compares them.';

/** The page of all that the programs log, in the order of the catalogue. */
export function messagesPage(): string {
  const parts = new Map<string, string[]>();
  for (const [code, message] of Object.entries<Message>(messages)) {
    const part = code.slice(0, code.indexOf('.'));
    parts.set(part, [...(parts.get(part) ?? []), entry(code, message)]);
  }
  const chapters = [...parts].map(([part, entries]) => `## ${part}\n\n${entries.join('\n\n')}`);
  const intro = `# What pbx-bridge logs

${generated} Every line has its code in the field \`code\`; \`{words in braces}\` are fields of the line.`;
  return `${[intro, ...chapters].join('\n\n')}\n`;
}

function entry(code: string, { level, text, means, todo }: Message): string {
  const what = todo === undefined ? '' : `\n\nWhat to do: ${asMarkdown(todo)}`;
  return `### ${code}\n\n**${level}**: \`${text}\`\n\n${asMarkdown(means)}${what}`;
}

/** The page of what `/metrics` tells. */
export function metricsPage(): string {
  const rows = createMetrics({ withProcess: false })
    .list()
    .map(({ name, type, labels, help }) => {
      const named = labels.length === 0 ? '' : labels.map((label) => `\`${label}\``).join(', ');
      return `| \`${name}\` | ${type} | ${named} | ${asMarkdown(help)} |`;
    });
  return `# What pbx-bridge tells Prometheus

${generated} It is at \`/metrics\` on STATUS_LISTEN, with the usual \`process_*\` and
\`nodejs_*\` of any Node program. No label ever holds a number, a call or a channel. \`grafana-dashboard.json\` and
\`alerts.yml\` beside this page use them.

| metric | type | labels | what it says |
| --- | --- | --- | --- |
${rows.join('\n')}
`;
}

function asMarkdown(text: string): string {
  return text.replace(/[|<>*_]/g, (character) => `\\${character}`);
}
