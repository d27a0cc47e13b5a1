import type { Rules } from '../../bridge/calls/rules.ts';
import type { Trunk } from '../../bridge/calls/trunk.ts';
import { isEvident } from '../../bridge/calls/trunk-learning.ts';
import { clockTime } from './format-text.ts';

/** The name of a channel of this endpoint: the endpoint's and a number. */
export const channelOf = (endpoint: string) => `${endpoint}-00000000`;

/** Whether the evidence holds by the settings, and by which. */
export function classifyTrunk(trunk: Trunk, rules: Rules): { isTrunk: boolean; why: string } {
  const { endpoint, source, context } = trunk;
  if (rules.nameIsInbound(channelOf(endpoint))) return { isTrunk: true, why: 'matches INBOUND_CHANNELS' };
  if (source === 'added') return { isTrunk: true, why: 'added by an operator' };
  const how =
    source === 'heard' ? `calls came in in context ${context}` : `configured with context ${context}`;
  const isTrunk = isEvident(trunk, rules);
  return { isTrunk, why: `${how}, which ${isTrunk ? 'matches' : 'no longer matches'} INBOUND_CONTEXTS` };
}

/** When calls came in on it, how it writes their numbers, and how they are read if a setting says it. */
export function callsText(endpoint: string, known: Partial<Trunk> | undefined, rules: Rules): string[] {
  const { firstAt, lastAt, writes } = known ?? {};
  const { rule } = rules.notationOf(channelOf(endpoint));
  const now = Date.now();
  return [
    firstAt === undefined || lastAt === undefined
      ? 'no call seen yet'
      : `first call ${clockTime(firstAt, now)}, last ${clockTime(lastAt, now)}`,
    ...(writes === undefined ? [] : [`writes numbers as ${writes}`]),
    ...(rule === '' ? [] : [`read by TRUNK_NUMBERS ${rule}`]),
  ];
}
