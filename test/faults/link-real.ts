import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type CallStatus, callStatuses } from '../../src/shared/api/contract/call-status.ts';
import { type Lab, openLab } from '../asterisk/lab.ts';
import { rowsOf } from '../asterisk/worlds.ts';
import type { Fault, Outcome, RunOptions } from '../tools/faults/fault.ts';
import { cutWithin, goDead, type LinkTrouble, linkTroubles } from '../tools/faults/link-trouble.ts';
import { createRig, type Rig } from '../tools/faults/rig.ts';
import { type CdrRecord, parseCdr, wasAnswered } from '../tools/lab/cdr.ts';
import { managerUsers } from '../tools/lab/config.ts';
import { labImpossible } from '../tools/lab/install.ts';
import { type Office, office } from '../tools/lab/offices.ts';
import { labSettings } from '../tools/lab/row.ts';
import { playRow } from '../tools/lab/stage.ts';
import { startWire, type Wire } from '../tools/lab/wire.ts';
import { seededRandom } from '../tools/player/seeded-random.ts';

const version = '22';

/** Calls from outside that reach phones in every way; none over a mobile, so that the channel on the trunk is the caller's. */
const rows = rowsOf(
  version,
  '{extension-caller-hangs-up,extension-agent-hangs-up,announcement-then-extension,caller-gives-up,busy,ring-group-one-answers,ring-group-local,local-optimised,queue-phones-ringall,queue-local-one-by-one,blind-transfer,voicemail}',
);
const isCaller = ({ channel }: CdrRecord) => channel.startsWith('PJSIP/trunk-');

const offices = 3;
const cutBytes = 20_000;
const restMs = 3_000;
const longestGapMs = 6_000;

export const linkReal: Fault = {
  name: 'link to a real Asterisk cut, half-open, Asterisk killed',
  needs: async () => labImpossible(),
  waits: true,
  short: { count: 3, unit: 'times' },
  full: { count: 60, unit: 'times' },
  run: (options) => breakAgainAndAgain(options, true),
  control: {
    without: "Asterisk's own records",
    run: (options) => breakAgainAndAgain(options, false),
  },
};

async function breakAgainAndAgain(
  { size, seed, say, stop }: RunOptions,
  readsRecords: boolean,
): Promise<Outcome> {
  const random = seededRandom(seed);
  const lab = await openLab(version);
  const wire = await startWire({ port: 0, target: lab.pbx.ports.ami });
  const { name, secret } = managerUsers.bridge;
  const rig = await createRig({
    AMI_PORT: `${wire.port}`,
    AMI_USERNAME: name,
    AMI_SECRET: secret,
    ...labSettings,
    ...(readsRecords && { CDR_SOURCE: `csv:${lab.pbx.cdrFile}` }),
  });
  const caused = { cut: 0, dead: 0, killed: 0 };
  let unheard = 0;
  let onConnected = () => {};
  try {
    const bridge = rig.startBridge({
      hear({ code }) {
        if (code === 'ami.connected') onConnected();
        if (code === 'cdr.call-reported') unheard += 1;
      },
    });
    await bridge.says('ami.connected');
    const connected = () =>
      new Promise<void>((resolve) => {
        onConnected = resolve;
      });
    const people = startPeople(lab, random);
    let troubles = 0;
    for (; troubles < size && !stop.aborted; troubles += 1) {
      await sleep(random() * restMs);
      const kind = linkTroubles[troubles % linkTroubles.length] as LinkTrouble;
      const gapMs = random() < 0.5 ? 0 : random() * longestGapMs;
      const again = connected();
      await trouble[kind]({ lab, wire, random, gapMs });
      await again;
      caused[kind] += 1;
      if (troubles % 10 === 9) say(`${troubles + 1} times, ${rig.fakeApi.calls().size} calls reported`);
    }
    await people.goHome();
    const known = async () => callsIn(parseCdr(await lab.pbx.cdr()));
    const isReported = (id: string) => rig.fakeApi.calls().get(id)?.state === 'completed';
    const ids = [...(await known()).keys(), ...rig.acknowledged.keys()];
    const patienceMs = readsRecords ? 45_000 : 5_000;
    await rig.fakeApi.waitFor(() => ids.every(isReported), patienceMs).catch(() => {});
    bridge.kill('SIGTERM');
    await bridge.ended;
    const calls = await known();
    const died = [...rig.acknowledged.keys()].filter((id) => !calls.has(id));
    const sent = new Map([...died.map((id) => [id, callStatuses] as const), ...calls]);
    const { counts, broken } = rig.solve(sent);
    return {
      ...counts,
      runs: troubles,
      seed,
      broken: [...broken, ...wrongs(rig, calls, died)],
      note: `${linkTroubles.map((kind) => `${caused[kind]} ${kind}`).join(', ')}; ${calls.size} calls in the records of Asterisk ${lab.pbx.release}, ${unheard} of them reported by them alone; ${died.length} died with Asterisk; ${people.spoilt()} that a death left unfinished on the telephone`,
    };
  } finally {
    await rig.close();
    await wire.close();
    await lab.stop();
  }
}

type Means = {
  readonly lab: Lab;
  readonly wire: Wire;
  readonly random: () => number;
  readonly gapMs: number;
};

const trouble: Readonly<Record<LinkTrouble, (means: Means) => Promise<void>>> = {
  cut: ({ wire, ...how }) => cutWithin(wire, cutBytes, how),
  dead: ({ wire, gapMs }) => goDead(wire, gapMs),
  killed: ({ lab }) => lab.crash(),
};

/** In each office somebody calls all the time, in one way or another, until they are sent home. */
function startPeople(lab: Lab, random: () => number) {
  let isOpen = true;
  let spoilt = 0;
  const work = async (of: Office) => {
    while (isOpen) {
      const row = rows[Math.floor(random() * rows.length)] as (typeof rows)[number];
      // When Asterisk dies, so does what they were about; its own records are what counts.
      await playRow({ ...row, office: of, ...lab }).catch(() => {
        spoilt += 1;
      });
    }
  };
  const shifts = Array.from({ length: offices }, (_, n) => work(office(n + 1)));
  return {
    spoilt: () => spoilt,
    async goHome() {
      isOpen = false;
      await Promise.all(shifts);
    },
  };
}

/** The calls that Asterisk has records of, and what is to be reported of each. */
function callsIn(records: readonly CdrRecord[]): Map<string, readonly CallStatus[]> {
  return new Map(
    records.filter(isCaller).map(({ uniqueid }) => {
      const answered = wasAnswered(records, uniqueid);
      return [`pbx-${uniqueid}`, callStatuses.filter((status) => status !== 'answered' || answered)];
    }),
  );
}

/** What Asterisk has a record of is reported as it was; what died with Asterisk and was reported is ended, once. */
function wrongs(
  { fakeApi }: Rig,
  calls: ReadonlyMap<string, readonly CallStatus[]>,
  died: readonly string[],
) {
  const receivedOf = (id: string) => fakeApi.calls().get(id)?.received ?? [];
  const wrong = [...calls].flatMap(([id, states]) =>
    isDeepStrictEqual(receivedOf(id), states)
      ? []
      : [`${id} reported as ${receivedOf(id).join(' ') || 'nothing'}, not ${states.join(' ')}`],
  );
  const unended = died.filter((id) => receivedOf(id).filter((status) => status === 'completed').length !== 1);
  return [...wrong, ...unended.map((id) => `${id} died with Asterisk and is not ended once`)];
}
