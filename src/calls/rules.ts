import picomatch from 'picomatch';
import { channelKind } from './channel.ts';

/** The settings that decide what is told. Their meaning and defaults: the configuration's `calls` section. */
export type CallSettings = {
  readonly pbxId: string;
  readonly inboundContexts: readonly string[];
  readonly inboundChannels: readonly string[];
  readonly defaultCountry?: string | undefined;
  readonly withheldNumber?: string | undefined;
  readonly answeredBy: 'endpoint' | 'callerid';
};

/** The same, ready to be asked. */
export type Rules = CallSettings & {
  /** A call that is gone when we connect is not over before an `ended-unseen` input says how it went. */
  readonly holdsVanished: boolean;
  readonly contextIsInbound: (context: string) => boolean;
  readonly nameIsInbound: (channel: string) => boolean;
};

// bash: a star crosses slashes, as people expect of `DAHDI/*` and `DAHDI/i1/5551234-1`.
const globOptions = { bash: true, dot: true } as const;

function matcher(globs: readonly string[]): (text: string) => boolean {
  return globs.length === 0 ? () => false : picomatch([...globs], globOptions);
}

export function createRules(settings: CallSettings, { holdsVanished = false } = {}): Rules {
  return {
    ...settings,
    holdsVanished,
    contextIsInbound: matcher(settings.inboundContexts),
    nameIsInbound: matcher(settings.inboundChannels),
  };
}

/** True for a channel that a trunk owns, whichever way the call goes: the legs that we dial carry its context too. */
export function isTrunk(rules: Rules, seen: { channel: string; context: string }): boolean {
  return rules.contextIsInbound(seen.context) || rules.nameIsInbound(seen.channel);
}

/**
 * True for a trunk's channel that no other channel made. It must still reach Ring before it is an inbound call:
 * what we dial out ourselves over a trunk passes here too, but goes Down, Ringing, Up.
 */
export function comesIn(
  seen: { channel: string; uniqueid: string; linkedid: string },
  trunk: boolean,
): boolean {
  return trunk && seen.uniqueid === seen.linkedid && channelKind(seen.channel) === 'real';
}
