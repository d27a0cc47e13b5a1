import { presentationVariableList } from '../../../src/bridge/ami/events.ts';
import { formatRecordedFrame, formatRecordingHeader } from '../../../src/bridge/ami/recording/recording.ts';
import { connectAmi } from './ami.ts';
import type { Pbx } from './asterisk.ts';
import { managerUsers } from './config.ts';

/**
 * Records what the bridge's own, least-privilege manager user sees, frame by frame, from now on. `stop` gives the
 * recording as text (the format of src/bridge/ami/recording/recording.ts).
 */
export async function startRecorder(pbx: Pbx, row: string): Promise<{ stop(): Promise<string> }> {
  const { name: username, secret } = managerUsers.recorder;
  const lines: string[] = [];
  const startedAt = Date.now();
  const ami = await connectAmi({
    port: pbx.ports.ami,
    username,
    secret,
    onEvent: ({ fields }, bytes) => {
      lines.push(formatRecordedFrame({ ms: Date.now() - startedAt, frame: bytes.subarray(0, -2) }));
      if (fields.Event === 'Newchannel' && fields.ChannelState === '4') void ask(fields.Channel ?? '');
    },
  });
  // The bridge asks this of every caller; the answer, an event too, is recorded, so that a replay can give it.
  const ask = (channel: string) =>
    ami.action('Status', { Channel: channel, Variables: presentationVariableList }).catch(() => {});
  const channels = await ami.list('CoreShowChannels', 'CoreShowChannel');
  const bridges = await ami.list('BridgeList', 'BridgeListItem');
  const texts = (frames: typeof channels) => frames.map(({ text }) => text.trimEnd());
  const header = { asterisk: pbx.release, row, startedAt };
  lines.unshift(formatRecordingHeader({ ...header, channels: texts(channels), bridges: texts(bridges) }));
  return {
    async stop() {
      // What Asterisk says in answer to this comes after all that it had to say before.
      await ami.action('Ping');
      ami.close();
      return lines.join('');
    },
  };
}
