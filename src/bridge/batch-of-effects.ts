import type { ExtendedCallEvent } from '../shared/api/contract/call-event.ts';
import type { Effect, Report, TrunkChanged } from './calls/effect.ts';
import { callIdOf } from './calls/open-call.ts';
import { storedTrunk } from './calls/trunk.ts';
import type { Batch } from './outbox/outbox.ts';

type Options = {
  readonly pbxId: string;
  /** Whether to send `extras`, which the API's document does not have (API_EXTRAS). */
  readonly sendsExtras: boolean;
};

/** What these effects put on disk, together; undefined if nothing. */
export function batchOf(effects: readonly Effect[], { pbxId, sendsExtras }: Options): Batch | undefined {
  const unreported = effects.flatMap((effect) => {
    if (effect.type === 'dialled-out')
      return [{ id: callIdOf(pbxId, effect.uniqueid), at: effect.at, why: 'dialled over a trunk' }];
    if (effect.type !== 'journal' || effect.entry.kind !== 'not-reported') return [];
    const { at, uniqueid, event } = effect.entry;
    return [{ id: callIdOf(pbxId, uniqueid), at, why: 'why' in event ? event.why : event.code }];
  });
  const calls = effects.flatMap((effect): Batch['calls'] => {
    if (effect.type === 'save') return [{ id: effect.call.id, state: JSON.stringify(effect.call) }];
    return effect.type === 'free' ? [{ id: effect.id, state: null }] : [];
  });
  const trunks = effects.flatMap((effect) => (effect.type === 'trunk' ? [trunkRow(effect)] : []));
  const events = reportsOf(effects).map((report) => ({
    callId: report.id,
    status: report.status,
    body: JSON.stringify(callEvent(report, sendsExtras)),
    queuedAt: report.at,
  }));
  if (calls.length + trunks.length + events.length + unreported.length === 0) return undefined;
  return { calls, trunks, events, ...(unreported.length > 0 && { unreported }) };
}

export const reportsOf = (effects: readonly Effect[]): Report[] =>
  effects.filter((effect) => effect.type === 'report');

function trunkRow({ endpoint, trunk }: TrunkChanged): Batch['trunks'][number] {
  return trunk === undefined ? { endpoint, source: '', state: null } : storedTrunk(trunk);
}

function callEvent({ id, status, from, callerId, extras }: Report, sendsExtras: boolean): ExtendedCallEvent {
  return {
    id,
    direction: 'inbound',
    status,
    from,
    ...(callerId !== undefined && { caller_id: callerId }),
    ...(sendsExtras && { extras }),
  };
}
