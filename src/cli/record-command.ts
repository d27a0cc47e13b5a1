import { randomBytes } from 'node:crypto';
import { closeSync, openSync, writeSync } from 'node:fs';
import { systemClock } from '../ami/clock.ts';
import { isCallEvent } from '../ami/events.ts';
import { describeFailure } from '../ami/failure.ts';
import { createAmiLink } from '../ami/link.ts';
import { createMasker } from '../ami/recording/mask.ts';
import { createRecorder } from '../ami/recording/recorder.ts';
import { allFields } from '../ami/wire/frame.ts';
import { amiSection } from '../config/ami-section.ts';
import { loadConfig } from '../config/env.ts';
import type { Log } from '../log/log.ts';
import type { Context } from './command-context.ts';
import { exitCodes } from './exit-codes.ts';
import { count } from './format-text.ts';

export type RecordOptions = {
  readonly out: string;
  readonly seconds?: string;
  readonly showNumbers?: boolean;
};

/** Channel state Ring: a caller who rings at us, of whom the bridge asks whether the number may be shown. */
const ring = '4';

/** Writes down what Asterisk says of its calls, until it is stopped; beside a bridge that runs, or without one. */
export async function record(context: Context, options: RecordOptions, stop: AbortSignal): Promise<number> {
  const { io, terminal, json, complain } = context;
  const { ami } = loadConfig({ ami: amiSection }, io.environment());
  const file = openSync(options.out, 'wx', 0o600);
  let [events, bytes] = [0, 0];
  const recorder = createRecorder({
    row: 'recorded with pbx-bridge record',
    write(text) {
      bytes += writeSync(file, text);
    },
    ...(options.showNumbers ? {} : { mask: createMasker(randomBytes(32)) }),
  });
  const { promise: isUp, resolve: tried } = Promise.withResolvers<boolean>();
  // The first thing that it says tells whether it got in.
  const log: Log = { say: (code) => tried(code === 'ami.connected'), child: () => log };
  const link = createAmiLink(ami, {
    onInput: () => {},
    onFrame(frame, at) {
      const fields = allFields(frame);
      const name = fields.get('Event') ?? '';
      // Only what the bridge hears: other events hold what nobody has thought of masking.
      const wanted = isCallEvent(name) || fields.has('Response') || fields.has('ActionID');
      if (!wanted) return;
      if (isCallEvent(name)) events += 1;
      recorder.onFrame(frame, at);
      if (name === 'Newchannel' && fields.get('ChannelState') === ring)
        link.askPresentation(fields.get('Uniqueid') ?? '', fields.get('Channel') ?? '');
    },
    log,
    clock: systemClock,
    random: Math.random,
  });
  link.start();
  try {
    const up = await Promise.race([isUp, once(stop)]);
    if (up === false) {
      const { failure } = link.status();
      const why = failure === undefined ? 'it ended at once' : describeFailure(failure);
      complain(`no link to Asterisk: ${why}; see pbx-bridge check`);
      return exitCodes.failed;
    }
    const how = options.showNumbers ? 'numbers and names as they are' : 'numbers and names masked';
    if (!json) terminal.wrapped('', `recording into ${options.out}, ${how}; Ctrl-C ends it`, 0);
    await (options.seconds === undefined ? once(stop) : Promise.race([once(stop), pause(options.seconds)]));
  } finally {
    link.stop();
    closeSync(file);
  }
  if (json) terminal.json({ file: options.out, events, bytes });
  else
    terminal.wrapped(
      '',
      `${count(events, 'call event')}, ${bytes} bytes; pbx-bridge replay ${options.out} tells what they mean`,
      0,
    );
  return exitCodes.well;
}

function once(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function pause(seconds: string): Promise<void> {
  const ms = Number(seconds) * 1_000;
  if (!(ms > 0 && ms <= 86_400_000)) throw new Error('--seconds takes a number, up to 86400');
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
