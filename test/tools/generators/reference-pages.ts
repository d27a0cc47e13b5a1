import { type Message, messages } from '../../../src/shared/log/messages.ts';
import type { ListedMetric } from '../../../src/shared/process/metric-registry.ts';

const generated = 'This page is generated from the code (`npm run generate`).';

/** The page of all log messages, in the order of the catalogue (`config/messages.md`). */
export function messagesPage(): string {
  const parts = new Map<string, string[]>();
  for (const [code, message] of Object.entries<Message>(messages)) {
    const part = code.slice(0, code.indexOf('.'));
    parts.set(part, [...(parts.get(part) ?? []), entry(code, message)]);
  }
  const chapters = [...parts].map(([part, entries]) => `## ${part}\n\n${entries.join('\n\n')}`);
  const intro = `# Log messages

${generated} The code of a line is in its field \`code\`, in the journal of systemd in brackets at its end; \`{names in braces}\` are fields of the line. The levels are priorities in the journal: debug 7, info 6, warn 4, error 3, fatal 2.`;
  return `${[intro, ...chapters].join('\n\n')}\n`;
}

function entry(code: string, { level, text, means, todo }: Message): string {
  const what = todo === undefined ? '' : `\n\nWhat to do: ${asMarkdown(todo)}`;
  return `### ${code}\n\n**${level}**: \`${text}\`\n\n${asMarkdown(means)}${what}`;
}

/** The page of all metrics (`config/metrics.md`). */
export function metricsPage(bridge: readonly ListedMetric[], service: readonly ListedMetric[]): string {
  return `# Metrics

${generated} Prometheus reads the metrics at \`/metrics\`, together with the usual
\`process_*\` and \`nodejs_*\` of a Node program. Labels never contain phone numbers, calls, channels or names.

## The bridge

On STATUS_LISTEN. \`grafana-dashboard.json\` and \`alerts.yml\` in this directory use these metrics.

${metricTable(bridge)}

## The service

On SERVICE_METRICS_LISTEN. \`grafana-dashboard-service.json\` and \`alerts-service.yml\` in this directory use these metrics.
Each process of the service counts for itself.

${metricTable(service)}
`;
}

function metricTable(metrics: readonly ListedMetric[]): string {
  const rows = metrics.map(({ name, type, labels, help }) => {
    const named = labels.length === 0 ? '' : labels.map((label) => `\`${label}\``).join(', ');
    return `| \`${name}\` | ${type} | ${named} | ${asMarkdown(help)} |`;
  });
  return `| metric | type | labels | meaning |\n| --- | --- | --- | --- |\n${rows.join('\n')}`;
}

export function asMarkdown(text: string): string {
  return text.replace(/[|<>*_]/g, (character) => `\\${character}`);
}
