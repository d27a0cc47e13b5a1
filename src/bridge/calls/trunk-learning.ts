import { numberIn } from '../../shared/phone-number/number-text.ts';
import type { CallerChannel, Channel } from './channel.ts';
import { isGuestEndpoint } from './channel-name.ts';
import type { EndpointsConfigured } from './input.ts';
import type { Rules } from './rules.ts';
import type { TrackerState } from './tracker-state.ts';
import type { Trunk } from './trunk.ts';

/** From one call on a trunk to the next that is written down, ms. */
const REMEMBER_AFTER_MS = 60_000;

/** True if the evidence holds by these rules: a context that INBOUND_CONTEXTS no longer matches makes no trunk. */
export function isEvident({ source, context }: Trunk, rules: Rules): boolean {
  return source === 'added' || rules.contextIsInbound(context);
}

export function isTrunk({ trunks, rules }: Readonly<TrackerState>, endpoint: string): boolean {
  const trunk = trunks.get(endpoint);
  return trunk !== undefined && isEvident(trunk, rules);
}

/** True if the PBX's configuration says that calls of this endpoint come from inside. */
export function isPhone({ contexts, rules }: Readonly<TrackerState>, endpoint: string): boolean {
  const context = contexts.get(endpoint);
  return context !== undefined && !rules.contextIsInbound(context) && !isGuestEndpoint(endpoint);
}

/** True if it says that they come from outside. */
export function isTrunkConfigured({ contexts, rules }: Readonly<TrackerState>, endpoint: string): boolean {
  const context = contexts.get(endpoint);
  return context !== undefined && rules.contextIsInbound(context);
}

/**
 * True for a caller without an account, whom the PBX lets in. chan_sip names the channel of a guest by the host in From: a guest
 * can choose the name of a phone, or of a trunk. One whose beginning was not seen may have moved on to another context: it is a
 * guest if the PBX's configuration does not know its endpoint.
 */
export function isGuest(
  { contexts, guestContext }: Readonly<TrackerState>,
  { endpoint, context = '', fromStart, role }: Channel,
): boolean {
  if (role.type === 'leg' && role.dialledFor !== undefined) return false;
  if (isGuestEndpoint(endpoint)) return true;
  if (!endpoint.startsWith('SIP/') || context === '' || guestContext === '') return false;
  const configured = contexts.get(endpoint);
  return context === guestContext ? configured !== context : !fromStart && configured === undefined;
}

/** True if this is the end of a trunk. */
export function isTrunkEnd(state: Readonly<TrackerState>, channel: Channel): boolean {
  return channel.trunk || isTrunk(state, channel.endpoint);
}

/** An inbound call has begun on it, and its beginning was observed. */
export function learnTrunk(state: TrackerState, { endpoint, context = '', role }: CallerChannel): void {
  // A guest under the name of a phone.
  if (isPhone(state, endpoint) && state.contexts.get(endpoint) !== context) return;
  const known = state.trunks.get(endpoint);
  const { at } = state;
  const isFresh = known?.lastAt !== undefined && at - known.lastAt < REMEMBER_AFTER_MS;
  if (isFresh && known?.context === context) return;
  saveTrunk(state, {
    ...known,
    endpoint,
    context,
    source: known?.source === 'added' ? 'added' : 'heard',
    firstAt: known?.firstAt ?? at,
    lastAt: at,
    ...(role.presented !== undefined && { writes: shapeOf(role.presented) }),
  });
}

/** Forgets a trunk on which a call began that is not inbound: it is an internal phone. */
export function unlearnTrunk(state: TrackerState, endpoint: string): void {
  const known = state.trunks.get(endpoint);
  if (known === undefined || known.source === 'added') return;
  state.trunks.delete(endpoint);
  state.effects.push({ type: 'trunk', endpoint });
}

/** Remembers that this trunk passes on a number that its caller withholds. */
export function learnRevealingTrunk(
  state: TrackerState,
  { presentation, endpoint, role }: CallerChannel,
): void {
  const known = state.trunks.get(endpoint);
  const isRevealed = presentation === 'prohibited' && numberIn(role.presented ?? '') !== '';
  if (known === undefined || known.reveals || !isRevealed) return;
  saveTrunk(state, { ...known, reveals: true });
}

/** The contexts that the PBX's configuration gives to the calls of its endpoints. */
export function learnConfiguration(
  state: TrackerState,
  { contexts, guestContext }: Pick<EndpointsConfigured, 'contexts' | 'guestContext'>,
): void {
  state.contexts = new Map(contexts);
  state.guestContext = guestContext;
  for (const [endpoint, context] of contexts) {
    const known = state.trunks.get(endpoint);
    if (!state.rules.contextIsInbound(context)) {
      if (known?.context !== context) unlearnTrunk(state, endpoint);
    } else if (known === undefined || !isEvident(known, state.rules))
      saveTrunk(state, { ...known, endpoint, source: 'configured', context });
  }
  for (const { endpoint, source } of state.trunks.values())
    if (source === 'configured' && !state.contexts.has(endpoint)) unlearnTrunk(state, endpoint);
}

function saveTrunk(state: TrackerState, trunk: Trunk): void {
  state.trunks.set(trunk.endpoint, trunk);
  state.effects.push({ type: 'trunk', endpoint: trunk.endpoint, trunk });
}

/** `+49xxxxxxxxxx` of `+493012345678`. */
function shapeOf(number: string): string {
  let digits = 0;
  return number.replace(/\d/g, (digit) => {
    digits += 1;
    return digits > 2 ? 'x' : digit;
  });
}
