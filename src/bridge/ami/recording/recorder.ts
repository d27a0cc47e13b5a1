import { allFields, recordable } from '../wire/frame.ts';
import { formatRecordedFrame, formatRecordingHeader } from './recording.ts';

type RecorderOptions = {
  /** What names the recording. */
  readonly row: string;
  /** Takes the recording's text, whole lines at a time. */
  write(text: string): void;
  /** What is kept instead of a frame: hides numbers and names. */
  readonly mask?: ((frame: Buffer) => Buffer) | undefined;
};

/**
 * Records a link's frames. A recording begins with the link's first snapshot. After it, it holds all events, and of the
 * responses only Status, which a replay needs.
 */
export function createRecorder({ row, write, mask: masker }: RecorderOptions) {
  const mask = masker ?? ((frame: Buffer) => frame);
  let startedAt: number | undefined;
  let asterisk = '';
  let begun = false;
  let channelsRead = false;
  const channels: string[] = [];
  const bridges: string[] = [];
  /** Events that arrived while the snapshot was read. */
  const early: string[] = [];

  /** Takes a frame as Asterisk sent it; `at` in Unix milliseconds. */
  function onFrame(raw: Buffer, at: number): void {
    startedAt ??= at;
    const frame = recordable(raw);
    const fields = allFields(frame);
    if ((fields.has('Response') || fields.has('ActionID')) && fields.get('Event') !== 'Status') {
      if (!begun) readAnswer(frame, fields);
      return;
    }
    const line = formatRecordedFrame({ ms: Math.max(0, at - startedAt), frame: mask(frame) });
    if (begun) write(line);
    else early.push(line);
  }

  /** The lists are asked for in this order: channels, then bridges. */
  function readAnswer(frame: Buffer, fields: ReadonlyMap<string, string>): void {
    asterisk = fields.get('AsteriskVersion') ?? asterisk;
    const event = fields.get('Event');
    if (event === 'CoreShowChannel') channels.push(mask(frame).toString('utf8'));
    else if (event === 'CoreShowChannelsComplete') channelsRead = true;
    else if (event === 'BridgeListItem') bridges.push(mask(frame).toString('utf8'));
    else if (event === 'BridgeListComplete' || (channelsRead && fields.get('Response') === 'Error')) begin();
  }

  function begin(): void {
    begun = true;
    write(
      formatRecordingHeader({
        ...{ asterisk, row, startedAt: startedAt ?? 0 },
        ...{ masked: masker !== undefined, channels, bridges },
      }) + early.join(''),
    );
    early.length = 0;
  }

  return { onFrame };
}
