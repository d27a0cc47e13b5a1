import { channelEvent } from '../../../src/bridge/ami/link.fixture.ts';

/** A class that the bridge's user does not have: such an event happens on the PBX, and is not sent. */
export const unseen = { Privilege: 'agent,all' };

/** A caller whom a phone answers, on a PBX whose manager keeps BridgeEnter back. */
export function connectedUnseen(caller = '1795000001.1', phone = '1795000001.2'): string[] {
  const leg = { Channel: 'PJSIP/1001-00000002', Linkedid: caller, Context: 'from-internal' };
  const bridge = { BridgeUniqueid: 'a-bridge', BridgeTechnology: 'simple_bridge' };
  return [
    channelEvent('Newchannel', caller),
    channelEvent('Newchannel', phone, { ...leg, ChannelState: '0' }),
    channelEvent('Newstate', phone, { ...leg, ChannelState: '6' }),
    channelEvent('Newstate', caller, { ChannelState: '6' }),
    channelEvent('BridgeEnter', phone, { ...leg, ...bridge, ...unseen, ChannelState: '6' }),
    channelEvent('BridgeEnter', caller, { ...bridge, ...unseen, ChannelState: '6' }),
  ];
}
