import { channelKind } from '../channel.ts';
import type { Rules } from '../rules.ts';

export type Verdict = {
  /** True if a call begins as soon as the channel rings at us. */
  readonly inbound: boolean;
  /** In the words of whoever set the trunk up. */
  readonly why: string;
};

/** Whether a new channel is an inbound caller's, and by which rule; the same rules as `comesIn`, in words. */
export function verdictOn(
  rules: Rules,
  seen: { channel: string; context: string; uniqueid: string; linkedid: string },
): Verdict {
  const kind = channelKind(seen.channel);
  if (kind === 'local') return no('a Local channel: a link within the dialplan, not a telephone');
  if (kind === 'pseudo') return no('a helper of Asterisk itself, not a telephone');
  if (seen.uniqueid !== seen.linkedid) return no(`a leg that was dialled for the call ${seen.linkedid}`);
  if (rules.contextIsInbound(seen.context))
    return { inbound: true, why: `its context ${seen.context} matches INBOUND_CONTEXTS` };
  if (rules.nameIsInbound(seen.channel))
    return { inbound: true, why: `its name ${seen.channel} matches INBOUND_CHANNELS` };
  const byName =
    rules.inboundChannels.length === 0
      ? 'INBOUND_CHANNELS is not set'
      : `its name ${seen.channel} matches no INBOUND_CHANNELS`;
  return no(`not inbound: context ${seen.context || '(none)'} matches no INBOUND_CONTEXTS, and ${byName}`);
}

function no(why: string): Verdict {
  return { inbound: false, why };
}
