import { stripTypeScriptTypes } from 'node:module';

/** A small change of a source text that some test should notice. */
export type Mutation = {
  /** From 1 on. */
  readonly line: number;
  readonly column: number;
  /** In a few words, such as `=== became !==`. */
  readonly what: string;
  /** The line without the change. */
  readonly code: string;
  /** The whole text with the change, without its types. */
  readonly text: string;
};

/** What is looked for in the code, and what becomes of it. */
const operators: readonly (readonly [RegExp, (found: string) => string])[] = [
  [/===/g, () => '!=='],
  [/!==/g, () => '==='],
  [/ <=? /g, (found) => (found === ' < ' ? ' <= ' : ' < ')],
  [/ >=? /g, (found) => (found === ' > ' ? ' >= ' : ' > ')],
  [/&&/g, () => '||'],
  [/\|\|/g, () => '&&'],
  [/ \+ /g, () => ' - '],
  [/ - /g, () => ' + '],
  [/\btrue\b/g, () => 'false'],
  [/\bfalse\b/g, () => 'true'],
  [/\bMath\.min\b/g, () => 'Math.max'],
  [/\bMath\.max\b/g, () => 'Math.min'],
  [/\.some\(/g, () => '.every('],
  [/\.every\(/g, () => '.some('],
  [/(?<=[(!\s])!(?=[\w(])/g, () => ''],
  [/(?<![\w.])\d[\d_]*(?![\w.])/g, (found) => `${Number(found.replaceAll('_', '')) + 1}`],
  [/(?<=\bif \()(?=\S)/g, () => 'true || '],
  [/(?<=\bif \()(?=\S)/g, () => 'false && '],
  [/(?<=\breturn )(?!undefined;|false;)(?=[^;]+;)/g, () => 'undefined && '],
  // A call whose result nobody uses, alone on its line.
  [/(?<=^[ \t]+)(?!return|throw|await|if|for|while|super|import)[\w.?]+\(.*\);$/gm, () => ';'],
];

/** All mutations of a TypeScript source, in the order of their places. */
export function mutationsOf(source: string): Mutation[] {
  const code = stripTypeScriptTypes(source);
  const bare = withoutTexts(code);
  const found: (Mutation & { at: number })[] = [];
  for (const [pattern, become] of operators)
    for (const { 0: old, index: at } of bare.matchAll(pattern)) {
      const replacement = become(old);
      // What is written there, texts included, of which `bare` has only blanks.
      const written = code.slice(at, at + old.length);
      const what =
        old === ''
          ? `inserted ${replacement.trim()}`
          : `${written.trim()} became ${replacement.trim() || 'nothing'}`;
      const text = code.slice(0, at) + replacement + code.slice(at + old.length);
      const before = code.slice(0, at).split('\n');
      const place = { line: before.length, column: (before.at(-1) ?? '').length + 1 };
      const line = (code.split('\n')[place.line - 1] ?? '').trim().replace(/\s+/g, ' ');
      found.push({ at, ...place, what, code: line, text });
    }
  return found.sort((a, b) => a.at - b.at).map(({ at: _, ...mutation }) => mutation);
}

/** The code with blanks in place of comments, texts, import lines and regular expressions: as long, line for line. */
export function withoutTexts(code: string): string {
  const pattern =
    /\/\/.*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|(?<=[=(,:!&|?[{;]\s*|return )\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+\/[a-z]*|^import [\s\S]*?;$/gm;
  return code.replace(pattern, (text) => text.replace(/[^\n]/g, ' '));
}
