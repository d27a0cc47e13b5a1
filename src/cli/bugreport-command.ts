import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createMasker } from '../ami/recording/mask.ts';
import { formatRecordedFrame, formatRecordingHeader, parseRecording } from '../ami/recording/recording.ts';
import { bridgeSections, loadConfig } from '../config/env.ts';
import { maskedSettings } from '../config/masked-settings.ts';
import { outboxSection } from '../config/outbox-section.ts';
import { statusSection } from '../config/status-section.ts';
import {
  addLog,
  type BugReportOptions,
  machineFacts,
  makeBugReport,
  reportMask,
  writtenText,
} from '../process/bugreport.ts';
import { parseJson } from '../process/parse-json.ts';
import { check } from './check-command.ts';
import { type Context, createContext } from './command-context.ts';
import { exitCodes } from './exit-codes.ts';
import { readStatus, statusUrl } from './read-status.ts';

/** Writes one file for a bug report: nothing in it is secret or personal. */
export async function bugreport(
  context: Context,
  { recording, ...options }: BugReportOptions & { readonly recording?: string },
  stop: AbortSignal,
): Promise<number> {
  const { io, terminal, json } = context;
  const environment = io.environment();
  const { lines, secrets } = maskedSettings(bridgeSections, environment);
  const report = makeBugReport('pbx-bridge', io.version, secrets);
  await report.attempt('machine', () =>
    machineFacts(loadConfig({ outbox: outboxSection }, environment).outbox.stateDir),
  );
  report.add('settings', lines.join('\n'));
  await report.attempt('check', async () => {
    let text = '';
    const out = {
      write(part: string) {
        text += part;
      },
    };
    await check(createContext({ ...io, out }, true), {}, stop);
    return parseJson(text);
  });
  await report.attempt('status', async () => {
    const found = await readStatus(statusUrl(loadConfig({ status: statusSection }, environment).status));
    return found.ok ? found.status : found.why;
  });
  const { PBX_BRIDGE_INSTANCE: instance } = environment;
  await addLog(report, instance ? `pbx-bridge@${instance}` : 'pbx-bridge', options);
  if (recording !== undefined) report.addMasked('recording', maskedRecording(recording, secrets));
  const file = report.write(options.out);
  if (json) terminal.json({ file });
  else terminal.wrapped('', writtenText(file), 0);
  return exitCodes.ok;
}

/** A recording is masked again, in case it was made with --show-numbers. */
function maskedRecording(file: string, secrets: readonly string[]): string {
  const { frames, channels, bridges, ...header } = parseRecording(readFileSync(file, 'utf8'));
  const mask = createMasker(randomBytes(32));
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
      row: reportMask(secrets)(header.row),
      channels: texts(channels),
      bridges: texts(bridges),
    }),
    ...frames.map(({ ms, frame }) => formatRecordedFrame({ ms, frame: masked(frame) })),
  ].join('');
}
