import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createMasker } from '../bridge/ami/recording/mask.ts';
import {
  formatRecordedFrame,
  formatRecordingHeader,
  parseRecording,
} from '../bridge/ami/recording/recording.ts';
import {
  type BugReportOptions,
  reportMask,
  writeBugReport,
  writtenText,
} from '../shared/process/bugreport.ts';
import { parseJson } from '../shared/process/parse-json.ts';
import { check } from './check-command.ts';
import { type Context, createContext, exitCodes } from './command-context.ts';
import { bridgeSections, loadConfig } from './config/env.ts';
import { maskedSettings } from './config/masked-settings.ts';
import { outboxSection } from './config/outbox-section.ts';
import { readStatus, statusUrlOf } from './read-status.ts';
import { unitOf } from './unit-state.ts';

/** Writes one file for a bug report: nothing in it is secret or personal. */
export async function bugreport(
  context: Context,
  { recording, ...options }: BugReportOptions & { readonly recording?: string },
  stop: AbortSignal,
): Promise<number> {
  const { io, terminal, json } = context;
  const environment = io.environment();
  const settings = maskedSettings(bridgeSections, environment);
  const reporter = {
    program: 'pbx-bridge',
    version: io.version,
    settings,
    stateDir: () => loadConfig({ outbox: outboxSection }, environment).outbox.stateDir,
    unit: unitOf(environment.ENV_FILE) ?? 'pbx-bridge',
    parts: {
      async check() {
        let text = '';
        const out = {
          write(part: string) {
            text += part;
          },
        };
        await check(createContext({ ...io, out }, true), {}, stop);
        return parseJson(text);
      },
      async status() {
        const found = await readStatus(statusUrlOf(environment));
        return found.ok ? found.status : found.why;
      },
    },
    recording: recording === undefined ? undefined : maskedRecording(recording, settings.secrets),
  };
  const file = await writeBugReport(reporter, options);
  if (json) terminal.json({ file });
  else terminal.wrapped('', writtenText(file), 0);
  return exitCodes.ok;
}

/** Of a file that people mail, shorter numbers are hidden, too. */
const SHORTEST_NUMBER = 5;

/** A recording is masked again, in case it was made with --show-numbers. */
function maskedRecording(file: string, secrets: readonly string[]): string {
  const { frames, channels, bridges, ...header } = parseRecording(readFileSync(file, 'utf8'));
  const mask = createMasker(randomBytes(32), { shortest: SHORTEST_NUMBER });
  const withoutSecrets = secrets.filter((secret) => secret.length >= 4);
  const masked = (frame: Buffer) => {
    let text = mask(frame).toString('latin1');
    for (const secret of withoutSecrets) text = text.replaceAll(secret, '[secret]');
    return Buffer.from(text, 'latin1');
  };
  const texts = (list: readonly string[]) => list.map((text) => masked(Buffer.from(text)).toString());
  return [
    formatRecordingHeader({
      ...header,
      masked: true,
      row: reportMask(secrets)(header.row),
      channels: texts(channels),
      bridges: texts(bridges),
    }),
    ...frames.map(({ ms, frame }) => formatRecordedFrame({ ms, frame: masked(frame) })),
  ].join('');
}
