import { readFileSync } from 'node:fs';
import { inputsOf, parseRecording, type Recording } from '../bridge/ami/recording/recording.ts';
import type { JournalEntry, Report } from '../bridge/calls/effect.ts';
import { type DryRun, dryRun } from '../bridge/calls/explain/dry-run.ts';
import { maskNumbers } from '../shared/log/redact.ts';
import { type Context, exitCodes } from './command-context.ts';
import { callsSection } from './config/calls-section.ts';
import { loadConfig } from './config/env.ts';
import { journalText } from './explain/journal-text.ts';
import { count } from './text/format-text.ts';

type ReplayOptions = {
  readonly showNumbers?: boolean;
};

/** Shows what the bridge would report of a recording with the current settings, and why. */
export async function replay(
  context: Context,
  file: string,
  { showNumbers = false }: ReplayOptions,
): Promise<number> {
  const recording = parseRecording(readFileSync(file, 'utf8'));
  const { calls: settings } = loadConfig({ calls: callsSection }, context.io.environment());
  const found = dryRun(settings, inputsOf(recording));
  const calls = callsOf(found.reports, settings.pbxId);
  if (context.json) context.terminal.json({ calls, journal: found.journal.map(withText) });
  else print(context, recording, found, calls.length, showNumbers);
  return calls.length > 0 ? exitCodes.ok : exitCodes.notFound;
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
