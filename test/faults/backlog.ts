import { type NewEvent, openOutbox } from '../../src/bridge/outbox/outbox.ts';
import { type CallStatus, callStatuses } from '../../src/shared/api/contract/call-status.ts';
import { silentLog } from '../../src/shared/log/log.ts';
import type { Rig } from '../tools/faults/rig.ts';

const day = 86_400_000;

/** For how long the API was away, ms: not quite as long as events are kept, since draining takes its time. */
const outageMs = 14 * day - day / 8;

const atOnce = 6_000;

/** Puts `count` calls into the outbox of a rig whose bridge does not run, as if they had come in during an outage. */
export async function fillOutbox(rig: Rig, calls: number): Promise<Map<string, readonly CallStatus[]>> {
  const filled = new Map<string, readonly CallStatus[]>();
  const outbox = await openOutbox({ directory: rig.stateDir }, { log: silentLog });
  const began = Date.now() - outageMs;
  let events: NewEvent[] = [];
  for (let n = 0; n < calls; n += 1) {
    // None is of the last minutes: those go out as fresh ones.
    const queuedAt = began + Math.floor((n / calls) * (outageMs - day / 24));
    const id = `pbx-${Math.floor(queuedAt / 1_000)}.${n}`;
    for (const status of callStatuses) {
      const body = JSON.stringify({ id, direction: 'inbound', status, from: '+494066969900' });
      events.push({ callId: id, status, body, queuedAt });
    }
    filled.set(id, callStatuses);
    if (events.length < atOnce && n < calls - 1) continue;
    await outbox.append({ calls: [], trunks: [], events });
    events = [];
  }
  await outbox.close();
  for (const [id, states] of filled) rig.acknowledge(id, states);
  return filled;
}
