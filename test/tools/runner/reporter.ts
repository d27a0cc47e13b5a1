import { relative } from 'node:path';
import type { EventData } from 'node:test';
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';

/** Before each line that is a `TestRecord`; all others are what tests say. */
export const mark = '\u001e';

/** How a test ended. A suite has one only if something outside of its tests failed. */
export type TestRecord = {
  /** From the folder in which the runner was started. */
  readonly file: string;
  /** The test of the file that it is, or is inside of. */
  readonly outermost: string;
  /** It is that test itself. */
  readonly isOutermost: boolean;
  readonly ms: number;
  readonly outcome: 'passed' | 'failed' | 'skipped' | 'has subtests';
  /** Why it failed or was left out. */
  readonly why?: string;
};

/** What is still open so long after the last test would hold the process for ever, ms. */
const closesWithinMs = 60_000;

// What tests start are other programs: a fork would be a test run, too.
process.execArgv.splice(0);

/** A reporter for `node --test`. */
// biome-ignore lint/style/noDefaultExport: Node asks for it
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  /** The suites around the test that is reported, and its own name. */
  const names: string[] = [];
  for await (const { type, data } of events) {
    if (type === 'test:start') names.splice(data.nesting, names.length, data.name);
    // Those without a file are Node's own counts.
    if (type === 'test:diagnostic' && data.file !== undefined) yield `  ${data.message}\n`;
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const file = relative('.', data.file ?? '');
    const record: TestRecord = {
      file,
      outermost: names[0] ?? data.name,
      isOutermost: data.nesting === 0,
      ms: data.details.duration_ms,
      ...(type === 'test:fail' ? failureOf(data, names.join(' > ')) : passOf(data, file)),
    };
    yield `\n${mark}${JSON.stringify(record)}\n`;
  }
  setTimeout(() => {
    process.stderr.write(`still open after the last test: ${process.getActiveResourcesInfo().join(', ')}\n`);
    process.exit(1);
  }, closesWithinMs).unref();
}

type Outcome = Pick<TestRecord, 'outcome' | 'why'>;

function failureOf({ details }: EventData.TestFail, title: string): Outcome {
  const { failureType, cause } = details.error as { failureType?: string; cause?: unknown };
  return failureType === 'subtestsFailed'
    ? { outcome: 'has subtests' }
    : { outcome: 'failed', why: `${title}: ${inspect(cause ?? details.error)}` };
}

function passOf({ name, nesting, skip, todo = skip, details }: EventData.TestPass, file: string): Outcome {
  if (details.type === 'suite') return { outcome: 'has subtests' };
  if (typeof todo === 'string' && todo !== '') return { outcome: 'skipped', why: todo };
  if (todo !== undefined) return { outcome: 'skipped', why: 'no reason was given, which is a mistake' };
  // Node's name for a file in which there is none.
  return nesting === 0 && relative('.', name) === file
    ? { outcome: 'failed', why: 'the file: it has no tests' }
    : { outcome: 'passed' };
}
