import type { FarEnd } from '../tools/lab/far-end.ts';
import type { ExpectedReport, Row } from '../tools/lab/row.ts';
import { phone } from '../tools/lab/sip-script.ts';
import type { Placed, Stage } from '../tools/lab/stage.ts';
import type { CutAfterEvent, Wire } from '../tools/lab/wire.ts';
import type { Lab } from './lab.ts';
import { matrix } from './rows/all.ts';

/** What a broken row can break. */
export type Trouble = { readonly lab: Lab; readonly farEnd: FarEnd; readonly wire: Wire };

/** A row of the matrix that something breaks into. What must be reported in the end is reported as if nothing had. */
export type BrokenRow = {
  readonly name: string;
  readonly says: string;
  /** The row of the matrix whose number is called and whose phones take part. */
  readonly base: string;
  readonly phones?: Row['phones'];
  readonly mobile?: Row['mobile'];
  /** Instead of the base row's play. */
  play(stage: Stage, trouble: Trouble): Promise<void>;
  /** Instead of what the base row reports. */
  readonly reported?: readonly ExpectedReport[];
};

const answeredOne = matrix.find(({ name }) => name === 'extension-caller-hangs-up') as Row;

/** A state of a call in which something happens: how it is reached, and how the call ends from there. */
type State = {
  readonly name: string;
  readonly says: string;
  readonly base: string;
  reach(stage: Stage): Promise<Placed>;
  end(stage: Stage, call: Placed): Promise<void>;
  readonly isAnswered: boolean;
};

const states: readonly State[] = [
  {
    name: 'ringing',
    says: 'while it rings',
    base: 'blind-transfer',
    async reach(stage) {
      const call = await stage.customerCalls();
      await stage.rings(1);
      return call;
    },
    async end(stage, call) {
      await stage.talk(call, 1);
      call.hangsUp();
    },
    isAnswered: false,
  },
  {
    name: 'answered',
    says: 'while they talk',
    base: 'blind-transfer',
    async reach(stage) {
      const call = await stage.customerCalls();
      await stage.talk(call, 1);
      return call;
    },
    async end(_, call) {
      call.hangsUp();
    },
    isAnswered: true,
  },
  {
    name: 'between',
    says: 'while the caller is between two extensions, in no bridge',
    base: 'blind-transfer-unanswered',
    async reach(stage) {
      const call = await stage.customerCalls();
      await stage.talk(call, 1);
      await stage.transfersBlind(1, stage.extension(2));
      await stage.rings(2);
      return call;
    },
    async end(_, call) {
      call.hangsUp();
    },
    isAnswered: true,
  },
];

/** Rings for long enough to be found ringing by a bridge that has to start first. */
const slowPhone = (row: string) => {
  const { phones = {} } = matrix.find(({ name }) => name === row) as Row;
  const [first = []] = Object.values(phones);
  return { ...phones, 1: first.map((step) => step.replace('milliseconds="300"', 'milliseconds="2500"')) };
};

/** The phones of a state in which something ends the call: one that is not answered there must not be, on a slow machine. */
function phonesAt({ base, isAnswered }: State): Row['phones'] {
  const { phones = {} } = matrix.find(({ name }) => name === base) as Row;
  return isAnswered ? phones : { ...phones, 1: phone.rings() };
}

const killedAsterisk = states.map(
  (state): BrokenRow => ({
    name: `asterisk-killed-${state.name}`,
    says: `Asterisk dies ${state.says}, with all its calls, and starts again.`,
    base: state.base,
    phones: phonesAt(state),
    async play(stage, { lab, farEnd }) {
      await state.reach(stage);
      await reported(farEnd, state.isAnswered ? 'answered' : 'ringing');
      await lab.crash();
      await farEnd.connected();
    },
    reported: [state.isAnswered ? { answeredBy: 1 } : {}],
  }),
);

const killedBridge = states.flatMap((state): BrokenRow[] => [
  {
    name: `bridge-killed-${state.name}`,
    says: `The bridge dies ${state.says}, and starts again while the call goes on.`,
    base: state.base,
    phones: slowPhone(state.base),
    async play(stage, { farEnd }) {
      const call = await state.reach(stage);
      await farEnd.killBridge();
      await farEnd.startBridge();
      await state.end(stage, call);
    },
    reported: [{ answeredBy: 1 }],
  },
  {
    name: `bridge-down-${state.name}`,
    says: `The bridge dies ${state.says}, and starts again when the call is over.`,
    base: state.base,
    phones: phonesAt(state),
    async play(stage, { farEnd }) {
      const call = await state.reach(stage);
      await reported(farEnd, state.isAnswered ? 'answered' : 'ringing');
      await farEnd.killBridge();
      call.hangsUp();
      await stage.isOver();
      await farEnd.startBridge();
    },
    reported: [state.isAnswered ? { answeredBy: 1 } : {}],
  },
]);

/** The wire is cut at some places of a call that has it all: a queue, Local channels, one phone after the other. */
const cutPlaces: readonly CutAfterEvent[] = [
  { event: 'Newchannel', nth: 1 },
  { event: 'DialBegin', nth: 2 },
  { event: 'Hangup', nth: 2 },
  { event: 'BridgeEnter', nth: 1 },
  { event: 'BridgeLeave', nth: 2 },
];

const cutWires = cutPlaces.map(({ event, nth }, i): BrokenRow => {
  const base = matrix.find(({ name }) => name === 'queue-local-one-by-one') as Row;
  return {
    name: `ami-cut-${i + 1}`,
    says: `The wire to Asterisk is cut after ${event} number ${nth} of the call, in mid-frame.`,
    base: base.name,
    async play(stage, { wire, farEnd }) {
      wire.cutAfter({ event, nth });
      const call = await stage.customerCalls();
      await stage.talk(call, 2);
      // A bridge on a busy machine may be connected again only now.
      await reported(farEnd, 'answered');
      call.hangsUp();
      await farEnd.connected();
    },
  };
});

/** Calls that the PBX makes itself over the trunk look like a caller's in a list of channels. */
const originated = (
  [
    ['bridge-killed', 'the bridge dies and starts again', bridgeStartsAgain],
    ['ami-cut', 'the wire to Asterisk is cut', wireIsCut],
  ] as const
).map(
  ([name, says, breaks]): BrokenRow => ({
    name: `${name}-click-to-call`,
    says: `Between two callers a program calls a customer over the same trunk, and ${says} while they talk.`,
    base: answeredOne.name,
    mobile: phone.answers(),
    async play(stage, trouble) {
      await answeredOne.play(stage);
      await stage.originates({
        Channel: stage.mobileOverTrunk,
        Exten: stage.extension(1),
        Context: 'from-internal',
        Priority: '1',
        CallerID: '"Office" <+493023125100>',
      });
      await stage.talk('mobile', 1);
      await breaks(trouble);
      await stage.hangsUp('mobile');
      // When this one has been reported, so has whatever was wrongly reported before it.
      await answeredOne.play(stage);
    },
    reported: [{ answeredBy: 1 }, { answeredBy: 1 }],
  }),
);

async function bridgeStartsAgain({ farEnd }: Trouble): Promise<void> {
  await farEnd.killBridge();
  await farEnd.startBridge();
}

async function wireIsCut({ wire, farEnd, lab }: Trouble): Promise<void> {
  wire.cutAfter({ event: 'Newchannel', nth: 1 });
  // Something for the wire to be cut at: a phone that nobody has.
  await lab.driver.action('Originate', {
    Channel: 'Local/nobody@nowhere',
    Application: 'Wait',
    Data: '1',
    Async: 'true',
  });
  await farEnd.connected();
}

/** Some call has got this far at the API. */
async function reported(farEnd: FarEnd, status: 'ringing' | 'answered'): Promise<void> {
  await farEnd.fakeApi.waitFor((fakeApi) =>
    [...fakeApi.calls().values()].some(({ received }) => received.includes(status)),
  );
}

export const brokenRows: readonly BrokenRow[] = [
  ...killedAsterisk,
  ...killedBridge,
  ...cutWires,
  ...originated,
];
