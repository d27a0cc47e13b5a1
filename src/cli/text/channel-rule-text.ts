import type { ChannelRule } from '../../bridge/calls/rules.ts';

type Classified = {
  readonly rule: ChannelRule;
  readonly channel: string;
  readonly context: string;
  /** The Linkedid: the call that a leg was dialled for. */
  readonly linkedid?: string;
};

/** Why a channel is inbound or not, for the person who set the trunk up. */
export function channelRuleText({ rule, channel, context, linkedid = '' }: Classified): string {
  const unmatched = `not inbound: context ${context || '(none)'} matches no INBOUND_CONTEXTS`;
  switch (rule) {
    case 'local':
      return 'a Local channel: a link within the dialplan, not a telephone';
    case 'helper':
      return 'a helper of Asterisk itself, not a telephone';
    case 'leg':
      return `a leg that was dialled for the call ${linkedid}`;
    case 'inbound-context':
      return `its context ${context} matches INBOUND_CONTEXTS`;
    case 'inbound-name':
      return `its name ${channel} matches INBOUND_CHANNELS`;
    case 'unmatched':
      return `${unmatched}, and INBOUND_CHANNELS is not set`;
    case 'unmatched-name':
      return `${unmatched}, and its name ${channel} matches no INBOUND_CHANNELS`;
    default:
      return rule satisfies never;
  }
}
