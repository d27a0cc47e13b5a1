import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { recordsOf } from '../tools/faults/call-records.ts';
import { type Fault, type Outcome, type RunOptions, sumOf } from '../tools/faults/fault.ts';
import { cutWithin, goDead, type LinkTrouble, linkTroubles } from '../tools/faults/link-trouble.ts';
import { type Load, startLoad } from '../tools/faults/load.ts';
import { createRig, type Rig } from '../tools/faults/rig.ts';
import { startWire, type Wire } from '../tools/lab/wire.ts';
import { seededRandom } from '../tools/player/seeded-random.ts';

const eventsPerSecond = 50;

/** Bytes within which a cut comes: of calls, of what is asked after a new start, of a frame. */
const cutBytes = 40_000;

/** How long the link stays away, ms: every other time not at all. A call lasts a second or so. */
const longestGapMs = 5_000;

/** The same number of bridges, each with a PBX of its own, go through it side by side. */
const sideBySide = 3;

/** From one trouble to the next, ms: enough for a link to come up, or for another to fail while it does. */
const restMs = 2_000;

export const link: Fault = {
  name: 'link to Asterisk cut, half-open, Asterisk killed (played)',
  waits: true,
  short: { count: 6, unit: 'times' },
  full: { count: 440, unit: 'times' },
  run: (options) => breakAll(options, true),
  control: {
    without: "Asterisk's own records",
    size: { count: 3, unit: 'times' },
    run: (options) => breakAll(options, false),
  },
};

async function breakAll(options: RunOptions, readsRecords: boolean): Promise<Outcome> {
  const { size, seed } = options;
  // Those that are started first go through one more where it does not divide.
  const shareOf = (n: number) => Math.floor((size + sideBySide - 1 - n) / sideBySide);
  const results = await Promise.all(
    Array.from({ length: sideBySide }, (_, n) =>
      breakAgainAndAgain({ ...options, size: shareOf(n), seed: seed * sideBySide + n }, readsRecords),
    ),
  );
  const total = (of: (result: (typeof results)[number]) => number) =>
    results.reduce((sum, result) => sum + of(result), 0);
  return {
    ...sumOf(results.map(({ counts }) => counts)),
    runs: total(({ troubles }) => troubles),
    seed,
    broken: results.flatMap(({ broken }) => broken),
    note: `${linkTroubles.map((kind) => `${total(({ caused }) => caused[kind])} ${kind}`).join(', ')}; ${total(({ over }) => over)} calls in Asterisk's records, ${total(({ unheard }) => unheard)} of them reported by them alone; ${total(({ died }) => died)} died with Asterisk`,
  };
}

async function breakAgainAndAgain({ size, seed, say, stop }: RunOptions, readsRecords: boolean) {
  const random = seededRandom(seed);
  const rig = await createRig();
  const wire = await startWire({ port: 0, target: Number(rig.env.AMI_PORT) });
  const records = join(rig.folder, 'Master.csv');
  writeFileSync(records, '');
  const broken: string[] = [];
  const over = new Set<string>();
  const caused = { cut: 0, dead: 0, killed: 0 };
  let unheard = 0;
  let troubles = 0;
  let onConnected = () => {};
  const connected = () =>
    new Promise<void>((resolve) => {
      onConnected = resolve;
    });
  try {
    const bridge = rig.startBridge({
      wrap: ['env', `AMI_PORT=${wire.port}`, ...(readsRecords ? [`CDR_SOURCE=csv:${records}`] : [])],
      hear({ code, level, msg }) {
        if (code === 'ami.connected') onConnected();
        if (code === 'cdr.call-reported') unheard += 1;
        // A machine that does too much keeps the API from answering for seconds: no fault of the bridge.
        if (level === 'error' && !code.startsWith('ami.') && code !== 'delivery.outage')
          broken.push(`${code}: ${msg}`);
      },
    });
    await bridge.says('ami.connected');
    const load = startLoad(rig.pbx, {
      eventsPerSecond,
      random,
      talkMs: 1_000,
      onOver(id, call) {
        over.add(id);
        appendFileSync(records, recordsOf(call));
      },
    });
    for (; troubles < size && !stop.aborted; troubles += 1) {
      await sleep(random() * restMs);
      const kind = linkTroubles[(troubles + seed) % linkTroubles.length] as LinkTrouble;
      const gapMs = random() < 0.5 ? 0 : random() * longestGapMs;
      await trouble[kind]({ rig, wire, load, random, gapMs, connected });
      caused[kind] += 1;
      if (troubles % 20 === 19) say(`${troubles + 1} times, ${over.size} calls`);
    }
    await load.finish();
    const isReported = (id: string) => rig.fakeApi.calls().get(id)?.state === 'completed';
    const unreported = () => [...over, ...rig.acknowledged.keys()].filter((id) => !isReported(id));
    await rig.fakeApi.waitFor(() => unreported().length === 0, readsRecords ? 45_000 : 5_000).catch(() => {});
    bridge.kill('SIGTERM');
    await bridge.ended;
    const { counts, broken: unsolved } = rig.solve(load.sent);
    broken.push(...unsolved, ...wrongs(rig, load, over));
    const died = [...load.sent.keys()].filter((id) => !over.has(id)).length;
    return { counts, broken, caused, troubles, unheard, died, over: over.size };
  } finally {
    await wire.close();
    await rig.close();
  }
}

type Means = {
  readonly rig: Rig;
  readonly wire: Wire;
  readonly load: Load;
  readonly random: () => number;
  readonly gapMs: number;
  /** Resolves when the bridge has connected once more. */
  connected(): Promise<void>;
};

const trouble: Readonly<Record<LinkTrouble, (means: Means) => Promise<void>>> = {
  cut: ({ wire, ...how }) => cutWithin(wire, cutBytes, how),
  async dead({ wire, connected, gapMs }) {
    const again = connected();
    await goDead(wire, gapMs);
    await again;
  },
  /** With all its calls, of which it says nothing and writes nothing. */
  async killed({ rig, load, gapMs }) {
    load.drop();
    await rig.pbx.crash();
    await sleep(gapMs);
    await rig.pbx.listen();
  },
};

/** What Asterisk has a record of is reported as it was; what died with Asterisk and was reported is ended, once. */
function wrongs({ fakeApi }: Rig, { sent }: Load, over: ReadonlySet<string>): string[] {
  const wrong: string[] = [];
  for (const [id, states] of sent) {
    const received = fakeApi.calls().get(id)?.received ?? [];
    const ends = received.filter((status) => status === 'completed').length;
    if (over.has(id) ? !isDeepStrictEqual(received, states) : received.length > 0 && ends !== 1)
      wrong.push(`${id} reported as ${received.join(' ') || 'nothing'}, not ${states.join(' ')}`);
  }
  return wrong.length === 0
    ? []
    : [`${wrong.length} calls reported wrongly: ${wrong.slice(0, 3).join('; ')}`];
}
