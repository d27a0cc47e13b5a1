import { globSync, readFileSync } from 'node:fs';

/** A statement that was run: how it finds its rows and, on SQLite, the pages that it read. */
export type Statement = { readonly sql: string; readonly plan: readonly string[]; readonly work: number };

/** A line of watch-statements.ts: the text and the plan of each statement come with its first run. */
export type Noted = {
  readonly id: string;
  readonly work: number;
  readonly sql?: string;
  readonly plan?: readonly string[];
};

/** What somebody does with the service, and what that took. `size`: of the answer, in characters. */
export type Step = {
  readonly name: string;
  readonly size: number;
  readonly statements: readonly Statement[];
};

/** The first people to call back, and how many there are. */
type OnScreen = { readonly people: readonly string[]; readonly count: number };

/** What lists, exports and reports had of the property manager, and the screens of the second account. */
export type Found = {
  readonly logged: number;
  readonly toCallBack: readonly string[];
  readonly onScreen: OnScreen;
  /** Null: they are too many to walk through. */
  readonly othersToCallBack: readonly string[] | null;
  readonly onOthersScreen: OnScreen;
  readonly calls: number;
  readonly ofCustomer: number;
  readonly customers: number;
  readonly failed: number;
  /** Of the days from 60 to 31 days ago. */
  readonly month: { readonly calls: number; readonly missed: number };
};

/** What tour.ts tells. `notAsked`: routes for reading that no step has requested. */
export type Toured = {
  readonly steps: readonly Step[];
  readonly found: Found;
  readonly notAsked: readonly string[];
};

type PlanNode = Readonly<Record<string, number | string | readonly PlanNode[] | undefined>>;

const nodes = (node: PlanNode): PlanNode[] => [
  node,
  ...((node.Plans ?? []) as readonly PlanNode[]).flatMap(nodes),
];

/** The statements of a database in a log of PostgreSQL's auto_explain, in JSON. */
export function statementsIn(log: string, database: string): Statement[] {
  return [...log.matchAll(new RegExp(`^${database} LOG: {2}duration: .*plan:\\n((?:\\t.*\\n)+)`, 'gm'))].map(
    ([, json = '']) => {
      const { 'Query Text': sql, Plan: plan } = JSON.parse(json.replace(/^\t/gm, ''));
      return {
        sql,
        // As SQLite has it: a scan is whatever goes by no condition of an index.
        plan: nodes(plan).flatMap((node) => {
          const { 'Node Type': type, 'Relation Name': relation, 'Index Name': index = '' } = node;
          // Of a bitmap, what is below it has the condition.
          if (relation === undefined || !/(?<!Bitmap Heap) Scan$/.test(`${type}`)) return [];
          return [`${'Index Cond' in node || 'TID Cond' in node ? 'SEARCH' : 'SCAN'} ${relation} ${index}`];
        }),
        work: 0,
      };
    },
  );
}

/** In one form: blanks, and the names of values. */
const plain = (sql: string) =>
  sql
    .replace(/[?$]\d*/g, '?')
    .replace(/\s+/g, ' ')
    .trim();

/**
 * The statements in the sources of a folder, as expressions that match them as they are run: a text from its first word
 * to its end, with anything in place of plain `${names}`, or to the first longer expression in it.
 */
export function statementsOf(files: readonly string[]): { where: string; text: string; pattern: RegExp }[] {
  return globSync([...files], { exclude: ['**/*.test.ts'] }).flatMap((file) => {
    const source = readFileSync(file, 'utf8');
    const texts = source.matchAll(
      /(['"`])(\s*(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|WITH)\s(?:(?!\1)[^\\])*)/g,
    );
    return Array.from(texts, ({ index, 2: whole = '' }) => {
      const [text = ''] = whole.split(/\$\{(?![\w.]+\})/);
      const pieces = text
        .split(/\$\{[\w.]+\}/)
        .map((piece) => plain(piece).replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
      const line = source.slice(0, index).split('\n').length;
      return {
        where: `${file}:${line}`,
        text: plain(text.replace(/\$\{[\w.]+\}/g, '…')),
        pattern: new RegExp(pieces.join('.*'), 's'),
      };
    });
  });
}

export const isRun = ({ pattern }: { pattern: RegExp }, run: readonly string[]) =>
  run.some((sql) => pattern.test(plain(sql)));
