import { randomBytes } from 'node:crypto';
import { closeSync, openSync, writeSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { isCallEvent } from '../bridge/ami/events.ts';
import { describeFailure } from '../bridge/ami/failure.ts';
import { createAmiLink } from '../bridge/ami/link.ts';
import { createMasker } from '../bridge/ami/recording/mask.ts';
import { createRecorder } from '../bridge/ami/recording/recorder.ts';
import { allFields } from '../bridge/ami/wire/frame.ts';
import { createRules } from '../bridge/calls/rules.ts';
import type { Log } from '../shared/log/log.ts';
import { systemClock } from '../shared/process/clock.ts';
import { createFile } from '../shared/process/denied.ts';
import { type Context, exitCodes } from './command-context.ts';
import { amiSection } from './config/ami-section.ts';
import { callsSection } from './config/calls-section.ts';
import { loadConfig } from './config/env.ts';
import { count, shellWord } from './text/format-text.ts';

type RecordOptions = {
  readonly out: string;
  readonly seconds?: string;
  readonly showNumbers?: boolean;
};

/** Channel state Ring: an inbound call, for which the bridge asks whether the number may be shown. */
const ring = '4';

/** Records AMI call events until stopped; a bridge may run at the same time. */
export async function record(context: Context, options: RecordOptions, stop: AbortSignal): Promise<number> {
  const { io, terminal, json, printError } = context;
  const { ami, calls } = loadConfig({ ami: amiSection, calls: callsSection }, io.environment());
  const rules = createRules(calls);
  const file = createFile(options.out, () => openSync(options.out, 'wx', 0o600));
  let [events, bytes] = [0, 0];
  const recorder = createRecorder({
    row: 'recorded with pbx-bridge record',
    write(text) {
      bytes += writeSync(file, text);
    },
    ...(options.showNumbers ? {} : { mask: createMasker(randomBytes(32), { rules }) }),
  });
  /** Uniqueids of callers for whom no phone was dialled yet. */
  const callers = new Set<string>();
  const { promise: isUp, resolve: onFirstMessage } = Promise.withResolvers<boolean>();
  // The link's first message says whether the login worked.
  const log: Log = { say: (code) => onFirstMessage(code === 'ami.connected'), child: () => log };
  const link = createAmiLink(ami, {
    onFrame(frame, at) {
      const fields = allFields(frame);
      const name = fields.get('Event') ?? '';
      // Only events that the bridge uses: the masker does not know the fields of others.
      const wanted = isCallEvent(name) || fields.has('Response') || fields.has('ActionID');
      if (!wanted) return;
      if (isCallEvent(name)) events += 1;
      recorder.onFrame(frame, at);
      const [uniqueid = '', channel = ''] = [fields.get('Uniqueid'), fields.get('Channel')];
      if (name === 'Newchannel' && fields.get('ChannelState') === ring) {
        callers.add(uniqueid);
        link.ask.presentation(uniqueid, channel);
      }
      if (name === 'DialBegin' && callers.delete(uniqueid)) link.ask.priority(channel);
      if (name === 'Hangup') callers.delete(uniqueid);
    },
    log,
    clock: systemClock,
    random: Math.random,
  });
  link.start(() => {});
  try {
    const up = await Promise.race([isUp, once(stop)]);
    if (up === false) {
      const { failure } = link.status();
      const why = failure === undefined ? 'the connection ended at once' : describeFailure(failure);
      printError(`cannot connect to Asterisk: ${why}; run pbx-bridge check`);
      return exitCodes.failed;
    }
    const how = options.showNumbers
      ? 'numbers and names not masked'
      : `numbers and names masked${rules.reportRules.length > 0 ? ', but not those that REPORT_RULES tell apart by masked digits' : ''}`;
    if (!json) terminal.wrapped('', `recording into ${options.out}, ${how}; stop with Ctrl-C`, 0);
    await (options.seconds === undefined ? once(stop) : pause(options.seconds, stop));
  } finally {
    link.stop();
    closeSync(file);
  }
  if (json) terminal.json({ file: options.out, events, bytes });
  else
    terminal.wrapped(
      '',
      `${count(events, 'call event')}, ${bytes} bytes. To see what they mean: pbx-bridge replay ${shellWord(options.out)}`,
      0,
    );
  return exitCodes.ok;
}

function once(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Ends early when stopped; a timer that went on would keep the process alive. */
async function pause(seconds: string, stop: AbortSignal): Promise<void> {
  const ms = Number(seconds) * 1_000;
  if (!(ms > 0 && ms <= 86_400_000)) throw new Error('--seconds takes a number, up to 86400');
  await wait(ms, undefined, { signal: stop }).catch(() => {});
}
