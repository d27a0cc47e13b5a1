import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Pbx } from './asterisk.ts';
import { type CdrKind, type CdrPlace, cdrKinds, cdrPlaces } from './cdr-source.ts';
import { type FarEnd, startFarEnd } from './far-end.ts';
import { mobileNumber } from './office-numbers.ts';
import { offices } from './offices.ts';
import type { Row } from './row.ts';

/**
 * From where a bridge learns of the calls: from Asterisk beside it, from Asterisk 5 ms away, or, because it was stopped
 * while they went on, from one kind of call records.
 */
export const feeds = ['live', 'live-5ms', ...cdrKinds] as const;
export type Feed = (typeof feeds)[number];

const awayMs = 5;

export function isCdrKind(feed: Feed): feed is CdrKind {
  return cdrKinds.some((kind) => kind === feed);
}

/** Which of these feeds cannot be had on this machine, and why. */
export function impossibleFeeds(wanted: readonly Feed[]): ReadonlyMap<Feed, string> {
  return new Map(
    wanted.filter(isCdrKind).flatMap((kind) => {
      const why = cdrPlaces[kind].impossible();
      return why === undefined ? [] : [[kind, why] as const];
    }),
  );
}

/** The bridges of a feed: one for each group of settings that rows have. */
export type Bridges = {
  readonly feed: Feed;
  /** Undefined: the feed has none for this row. */
  of(row: Row): FarEnd | undefined;
  readonly all: readonly FarEnd[];
};

type Settings = Readonly<Record<string, string>>;
type Start = {
  readonly feed: Feed;
  readonly pbx: Pbx;
  readonly rows: readonly Row[];
  readonly cleanUp: AsyncDisposableStack;
};

/** Starts a bridge for each group of settings. */
async function startBridges(
  { feed, rows, cleanUp }: Start,
  options: { readonly amiPort: number; readonly settings?: Settings; readonly state?: string },
): Promise<Bridges> {
  const groups = Map.groupBy(rows, settingsKey);
  const start = async ([key, [row]]: [string, Row[]]) => {
    const farEnd = await startFarEnd({
      ...options,
      settings: { ...options.settings, ...row?.settings },
      waiting: row && waitingOf(row),
    });
    cleanUp.defer(farEnd.stop);
    return [key, farEnd] as const;
  };
  const farEnds = new Map(await Promise.all([...groups].map(start)));
  return { feed, of: (row) => farEnds.get(settingsKey(row)), all: [...farEnds.values()] };
}

function settingsKey(row: Row): string {
  return JSON.stringify([row.settings ?? {}, waitingOf(row)]);
}

/** Whether the row wants a bridge of its own. */
export const hasSettings = ({ settings, callBacks }: Row): boolean =>
  settings !== undefined || callBacks !== undefined;

/** Who waits for a call back: the mobiles of all offices, or nobody whom a row calls. */
function waitingOf({ callBacks }: Row): string[] | undefined {
  if (callBacks === undefined) return undefined;
  return callBacks.doesNotWait ? ['+4940669699999'] : offices.map(mobileNumber);
}

/** Bridges that hear the calls as they go on. */
export async function startLive(start: Start): Promise<Bridges> {
  const { feed, pbx, cleanUp } = start;
  if (feed === 'live') return startBridges(start, { amiPort: pbx.ports.ami });
  const workerData = { port: 0, target: pbx.ports.ami, delayMs: awayMs };
  const wire = new Worker(new URL('./wire-thread.ts', import.meta.url), { workerData });
  cleanUp.defer(async () => void (await wire.terminate()));
  const [amiPort] = (await once(wire, 'message')) as [number];
  return startBridges(start, { amiPort });
}

/** A bridge that reads call records: it hears some calls first, so that it knows the trunks, and is ended. */
export type Reader = {
  readonly farEnd: FarEnd;
  /** Starts bridges that go on from there; resolves when they have read the records. */
  goOn(): Promise<Bridges>;
};

export async function startReader(start: Start, place: CdrPlace): Promise<Reader> {
  const options = { amiPort: start.pbx.ports.ami, settings: place.settings(start.pbx) };
  const farEnd = await startFarEnd(options);
  start.cleanUp.defer(farEnd.stop);
  return {
    farEnd,
    async goOn() {
      const bridges = await startBridges(start, { ...options, state: farEnd.state });
      await Promise.all(bridges.all.map((each) => each.logged('cdr.filled')));
      return bridges;
    },
  };
}
