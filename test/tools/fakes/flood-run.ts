import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRig } from '../faults/rig.ts';
import { until } from '../until.ts';
import { type FloodForm, floodCall, floodForms } from './flood.ts';
import { type FloodLookup, startFloodLookups } from './flood-lookups.ts';

type FloodOutcome = {
  readonly calls: number;
  readonly lookups: readonly FloodLookup[];
  /** How often the bridge ended an AGI connection because its deadline was over. */
  readonly cutOff: number;
  /** What the bridge has used of a processor, ms, and the most memory, MB. */
  readonly cpuMs: number;
  readonly mostMb: number;
};

/** As many calls are sent in a row when this process was late. */
const mostAtOnce = 200;
const stepMs = 10;

/**
 * Floods a bridge, which is a process of its own, with a number of calls a second, and looks up priorities until the bridge has
 * reported a call that came after it.
 */
export async function runFlood(
  form: FloodForm,
  { rate, seconds }: { rate: number; seconds: number },
  settings: Readonly<Record<string, string>> = {},
): Promise<FloodOutcome> {
  const rig = await createRig({
    AGI_LISTEN: '127.0.0.1:0',
    INBOUND_CONTEXTS: 'from-trunk',
    DEFAULT_COUNTRY: 'DE',
    ...settings,
  });
  let cutOff = 0;
  let isReported = false;
  const last = floodCall(9_000_000);
  const hear = ({ code, call }: { code: string; call?: unknown }) => {
    if (code === 'agi.cut-off') cutOff += 1;
    if (code === 'call.completed' && call === `pbx-${last.uniqueid}`) isReported = true;
  };
  try {
    const bridge = rig.startBridge({ hear });
    const { port } = await bridge.says('agi.listening');
    await until('the bridge has logged in', rig.pbx.hasLogin);
    await bridge.says('ami.connected');
    const before = bridge.cpuMs();
    const lookups = startFloodLookups(Number(port));
    const began = performance.now();
    let calls = 0;
    while (performance.now() - began < seconds * 1_000) {
      const due = Math.floor(((performance.now() - began) * rate) / 1_000);
      for (const most = calls + mostAtOnce; calls < due && calls < most; calls += 1)
        for (const frame of floodForms[form](floodCall(calls))) rig.pbx.send(frame);
      lookups.began(calls);
      await sleep(stepMs);
    }
    const [ring = '', hangUp = ''] = floodForms['short calls'](last);
    rig.pbx.send(ring);
    // The PBX knows nothing of a channel that is gone.
    await rig.fakeApi.waitFor((it) => it.calls().has(`pbx-${last.uniqueid}`), 120_000);
    rig.pbx.send(hangUp);
    await until('the last call is reported', () => isReported, { everyMs: 50 });
    const status = readFileSync(`/proc/${bridge.pid}/status`, 'utf8');
    return {
      calls,
      lookups: await lookups.end(),
      cutOff,
      cpuMs: bridge.cpuMs() - before,
      mostMb: Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1_024),
    };
  } finally {
    await rig.close();
  }
}
