import { readFileSync } from 'node:fs';
import { withMaskedDigits } from '../bridge/ami/recording/mask.ts';
import { inputsOf, lookedUpIn, parseRecording, type Recording } from '../bridge/ami/recording/recording.ts';
import type { JournalEntry, Report } from '../bridge/calls/effect.ts';
import { type DryRun, dryRun } from '../bridge/calls/explain/dry-run.ts';
import type { CallSettings } from '../bridge/calls/rules.ts';
import { maskNumbers } from '../shared/log/redact.ts';
import { messageOf } from '../shared/process/parse-json.ts';
import { type Context, exitCodes } from './command-context.ts';
import { callsSection } from './config/calls-section.ts';
import { loadConfig } from './config/env.ts';
import { callLines, compareCalls, type DiffLine, maskedLine, parseExpected } from './expected-calls.ts';
import { journalText } from './explain/journal-text.ts';
import { count } from './text/format-text.ts';

type ReplayOptions = {
  readonly showNumbers?: boolean;
  /** Only a line for each call. */
  readonly calls?: boolean;
  /** A file of such lines, to compare with. */
  readonly expect?: string;
};

/** Of `replay --expect`: those of diff(1), which scripts expect of a comparison. */
const compared = { same: 0, different: 1, unreadable: 2 } as const;

/** Shows what the bridge would report of a recording with the current settings, and why. */
export async function replay(
  context: Context,
  file: string,
  { showNumbers = false, calls: onlyCalls = false, expect }: ReplayOptions,
): Promise<number> {
  const { calls: settings } = loadConfig({ calls: callsSection }, context.io.environment());
  if (expect !== undefined) return compare(context, file, expect, { settings, showNumbers });
  const recording = parseRecording(readFileSync(file, 'utf8'));
  const found = playedBy(settings, recording, context);
  if (onlyCalls) {
    const lines = linesOf(found, recording);
    if (context.json) context.terminal.json({ calls: lines });
    else for (const line of lines) context.terminal.print(showNumbers ? line : maskedLine(line));
    return lines.length > 0 ? exitCodes.ok : exitCodes.notFound;
  }
  const calls = callsOf(found.reports, settings.pbxId);
  if (context.json) context.terminal.json({ calls, journal: found.journal.map(withText) });
  else print(context, recording, found, calls.length, showNumbers);
  return calls.length > 0 ? exitCodes.ok : exitCodes.notFound;
}

/** What the settings make of the recording; says which of their rules ask for digits that it may not have. */
function playedBy(
  settings: CallSettings,
  recording: Recording,
  { printError }: Pick<Context, 'printError'>,
): DryRun {
  if (recording.masked === false) return dryRun(settings, inputsOf(recording));
  const { rules, unsure } = withMaskedDigits(settings.reportRules);
  const found = dryRun({ ...settings, reportRules: rules }, inputsOf(recording));
  if (unsure.size > 0)
    printError(
      `Numbers may be masked in this recording: unless it was recorded with these REPORT_RULES, they may decide otherwise of real ones: ${[...unsure].join(', ')}`,
    );
  return found;
}

const linesOf = ({ journal }: DryRun, recording: Recording) => callLines(journal, lookedUpIn(recording));

/** Compares the calls of a recording with those that a file expects. */
function compare(
  context: Context,
  file: string,
  expect: string,
  { settings, showNumbers }: { readonly settings: CallSettings; readonly showNumbers: boolean },
): number {
  const { terminal, json, printError } = context;
  const read = <T>(path: string, parse: (text: string) => T): T | undefined => {
    try {
      return parse(readFileSync(path, 'utf8'));
    } catch (error) {
      printError(`${path} cannot be read: ${messageOf(error)}`);
      return undefined;
    }
  };
  const expected = read(expect, parseExpected);
  const recording = expected && read(file, parseRecording);
  if (expected === undefined || recording === undefined) return compared.unreadable;
  const diff = compareCalls(expected, linesOf(playedBy(settings, recording, context), recording)).map(
    ({ is, line }): DiffLine => ({ is, line: is === 'lacks' || showNumbers ? line : maskedLine(line) }),
  );
  const isSame = diff.every(({ is }) => is === 'same');
  if (json) terminal.json({ same: isSame, calls: diff });
  else if (isSame) terminal.wrapped('', `${count(diff.length, 'call')}, as expected by ${expect}.`, 0);
  else printDiff(terminal, diff, { file, expect });
  return isSame ? compared.same : compared.different;
}

function printDiff(
  { print, paint, wrapped }: Context['terminal'],
  diff: readonly DiffLine[],
  { file, expect }: { readonly file: string; readonly expect: string },
): void {
  print(paint('red', `--- ${expect} (expected)`));
  print(paint('green', `+++ ${file} (recorded)`));
  for (const { is, line } of diff)
    if (is === 'same') wrapped('  ', line, 2);
    else if (is === 'lacks') print(paint('red', `- ${line}`));
    else print(paint('green', `+ ${line}`));
}

/** In the format of a test recording's `expected.json`, which is corrected by hand where the result is wrong. */
function callsOf(reports: readonly Report[], pbxId: string) {
  return [...Map.groupBy(reports, ({ id }) => id)].map(([id, events]) => ({
    uniqueid: id.slice(pbxId.length + 1),
    from: events[0]?.from,
    reported: events.map(({ status, callerId }) => ({
      status,
      ...(callerId !== undefined && { caller_id: callerId }),
    })),
  }));
}

function withText({ event, ...entry }: JournalEntry) {
  return { ...entry, text: journalText({ ...entry, event }) };
}

function print(
  { terminal }: Context,
  { startedAt, asterisk, frames }: Recording,
  { journal }: DryRun,
  calls: number,
  showNumbers: boolean,
): void {
  const { paint } = terminal;
  const show = showNumbers ? (text: string) => text : maskNumbers;
  const startTime = new Date(startedAt).toISOString().slice(0, 19).replace('T', ' ');
  terminal.wrapped(
    '',
    `Asterisk ${asterisk || '(unknown version)'}, ${startTime} UTC, ${count(frames.length, 'frame')}`,
    0,
  );
  for (const { at, uniqueid, kind, text } of journal.map(withText)) {
    const seconds = `${((at - startedAt) / 1_000).toFixed(3)} s`.padStart(11);
    const sign =
      kind === 'reported'
        ? paint('green', 'reported    ')
        : kind === 'not-reported'
          ? paint('yellow', 'not reported')
          : '            ';
    terminal.wrapped(`${seconds}  ${sign}  `, `${uniqueid} ${show(text)}`, 27);
  }
  terminal.print();
  terminal.print(`${count(calls, 'call')} would be reported with the current settings.`);
}
