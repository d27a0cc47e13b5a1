import { setTimeout as sleep } from 'node:timers/promises';
import { type CdrRecord, cdrOf } from '../tools/lab/cdr.ts';
import { type CdrPlace, cdrPlaces, labFor } from '../tools/lab/cdr-source.ts';
import type { FarEnd } from '../tools/lab/far-end.ts';
import {
  type Bridges,
  type Feed,
  hasSettings,
  isCdrKind,
  startLive,
  startReader,
} from '../tools/lab/feeds.ts';
import { type Office, offices } from '../tools/lab/offices.ts';
import type { Row } from '../tools/lab/row.ts';
import { playRow } from '../tools/lab/stage.ts';
import { tooBusy } from '../tools/lab/too-busy.ts';
import { type Lab, openLab } from './lab.ts';
import { expectedOf, judge, type Played, type Verdict } from './verdict.ts';
import { rowsOf, type WorldName, worlds } from './worlds.ts';

export type MatrixResult = {
  readonly release: string;
  /** One for each row and feed, in the order of the rows. */
  readonly verdicts: readonly Verdict[];
  /** What is wrong beyond the rows: calls reported that no row knows, calls of the PBX's own book that are missing. */
  readonly strays: readonly string[];
};

/** Where nothing has arrived for so long, nothing will. */
const silenceMs = 60_000;

/**
 * Plays rows on a fresh Asterisk, several at a time, and judges for each feed what real bridges report of them. Rows
 * with settings of their own have bridges of their own, which hear all the same: of the first feed that is live and of the
 * first kind of records, since settings do the same to all.
 */
export async function runMatrix(
  world: WorldName,
  { rows: glob, feeds }: { readonly rows?: string; readonly feeds: readonly Feed[] },
): Promise<MatrixResult> {
  await using cleanUp = new AsyncDisposableStack();
  const places = new Map<Feed, CdrPlace>();
  for (const kind of feeds.filter(isCdrKind)) {
    const place = await cdrPlaces[kind].open();
    cleanUp.defer(place.stop);
    places.set(kind, place);
  }
  const lab = await openLab(world, labFor(places.values()));
  cleanUp.defer(lab.stop);
  const rows = rowsOf(world, glob);
  const isLive = (feed: Feed) => !isCdrKind(feed);
  const forSettings = [feeds.find(isLive), feeds.find(isCdrKind)];
  const start = (feed: Feed) => {
    const heard = rows.map(({ row }) => row).filter((row) => forSettings.includes(feed) || !hasSettings(row));
    return { feed, pbx: lab.pbx, rows: heard, cleanUp };
  };

  const readers = await Promise.all([...places].map(([feed, place]) => startReader(start(feed), place)));
  const overEachTrunk = rowsOf(world).filter(({ row }) => worlds[world].overEachTrunk.includes(row.name));
  const heard = readers.length === 0 ? [] : await playAll(lab, overEachTrunk);
  for (const { farEnd } of readers) {
    await untilReported(
      farEnd,
      heard.flatMap((one) => reportedCallers(one, 'live')),
    );
    await farEnd.endBridge();
  }

  const live = await Promise.all(feeds.filter(isLive).map((feed) => startLive(start(feed))));
  const played = await playAll(lab, rows);
  await Promise.all(live.map((some) => untilAllReported(some, played)));
  await Promise.all(live.map((some) => untilAllTold(some, played)));
  await Promise.all(live.flatMap(({ all }) => all.map((farEnd) => farEnd.endBridge())));
  const reading = await Promise.all(readers.map((reader) => reader.goOn()));
  await Promise.all(reading.map((some) => untilAllReported(some, played)));
  const bridges = [...live, ...reading];

  const callers = played.flatMap(({ play }) => play.inbound.map(({ uniqueid }) => uniqueid));
  const book = await cdrOf(lab.pbx, callers);
  const verdicts = played.flatMap((one) =>
    bridges.flatMap(({ feed, of }) => {
      const farEnd = of(one.row);
      return farEnd === undefined ? [] : [judge(one, feed, farEnd, book)];
    }),
  );
  const all = [...heard, ...played];
  // A row that went wrong on the telephone does not know its calls.
  const known = all.some(({ wrong, isSecondTry }) => wrong || isSecondTry)
    ? undefined
    : new Set(all.flatMap(({ play }) => [...play.channels]));
  return {
    release: lab.pbx.release,
    verdicts,
    strays: [
      ...(known ? bridges.flatMap((some) => straysOf(some, known)) : []),
      ...(known ? missingFromRows(book, known) : []),
      ...(lab.fastAgi?.deaths() ? [`FreePBX's FastAGI server has ended ${lab.fastAgi.deaths()} times`] : []),
    ],
  };
}

/**
 * Plays the rows, one in each office at a time. Gives them in their order. A row that went wrong on the telephone of a
 * machine that is too busy is played once more, alone, when the machine is less busy or after three minutes; the first
 * try is printed, since it may show more than that.
 */
async function playAll(lab: Lab, rows: readonly { row: Row; index: number }[]): Promise<Played[]> {
  const played: Played[] = [];
  const again: Parameters<typeof playRow>[0][] = [];
  const left = [...rows];
  const work = async (office: Office) => {
    for (let next = left.shift(); next; next = left.shift()) {
      const one = { ...next, office, ...lab };
      const result = await playOne(one);
      const busy = result.wrong === undefined ? undefined : tooBusy();
      if (busy === undefined) played.push(result);
      else {
        process.stdout.write(`${result.wrong}\n${busy}: played again alone\n`);
        again.push(one);
      }
    }
  };
  await Promise.all(offices.map(work));
  for (let waits = 0; again.length > 0 && tooBusy() !== undefined && waits < 36; waits += 1)
    await sleep(5_000);
  for (const one of again) played.push({ ...(await playOne(one)), isSecondTry: true });
  return played.sort((a, b) => a.index - b.index);
}

async function playOne(options: Parameters<typeof playRow>[0]): Promise<Played> {
  const { row, index, office } = options;
  try {
    return { row, index, office, play: await playRow(options) };
  } catch (error) {
    const play = { inbound: [], channels: new Set<string>() };
    return { row, index, office, play, wrong: String(error) };
  }
}

async function untilAllReported({ feed, of, all }: Bridges, played: readonly Played[]): Promise<void> {
  const callersOf = (farEnd: FarEnd) =>
    played.filter(({ row }) => of(row) === farEnd).flatMap((one) => reportedCallers(one, feed));
  await Promise.all(all.map((farEnd) => untilReported(farEnd, callersOf(farEnd))));
}

/** Waits until all is told of calls to people who wait for a call back; gives up as `untilReported`. */
async function untilAllTold({ of }: Bridges, played: readonly Played[]): Promise<void> {
  const told = ({ row, play }: Played) => of(row)?.callBacksOf(play.channels).length ?? 0;
  const isTold = (one: Played) => told(one) >= (one.wrong ? 0 : (one.row.callBacks?.told.length ?? 0));
  await Promise.all(
    played.map((one) =>
      of(one.row)
        ?.fakeApi.waitFor(() => isTold(one), silenceMs)
        .catch(() => {}),
    ),
  );
}

function reportedCallers({ row, play }: Played, feed: Feed): string[] {
  const { reported } = expectedOf(row, feed);
  return play.inbound.slice(0, reported.length).map(({ uniqueid }) => uniqueid);
}

/** Waits until all these calls are completed at the API; gives up when nothing more arrives: the verdict says what is missing. */
async function untilReported(farEnd: FarEnd, uniqueids: readonly string[]): Promise<void> {
  const isCompleted = (uniqueid: string) =>
    farEnd.receivedOf(uniqueid)?.reported.some(({ status }) => status === 'completed') ?? false;
  const isAll = () => uniqueids.every(isCompleted);
  for (let before = -1; farEnd.fakeApi.counts().moved > before && !isAll(); ) {
    before = farEnd.fakeApi.counts().moved;
    await farEnd.fakeApi.waitFor(isAll, silenceMs).catch(() => {});
  }
}

/** Every call that an API received belongs to a row, and nothing was reported in the wrong order. */
function straysOf({ feed, all }: Bridges, known: ReadonlySet<string>): string[] {
  return all.flatMap((farEnd) => {
    const strays = farEnd.uniqueids().filter((uniqueid) => !known.has(uniqueid));
    const { inverted } = farEnd.fakeApi.counts();
    return [
      ...strays.map((uniqueid) => `${feed}: reported ${uniqueid}, a call of no row`),
      ...(inverted > 0 ? [`${feed}: ${inverted} events came too late and were discarded`] : []),
    ];
  });
}

/** Every channel in Asterisk's own book is one of a row. */
function missingFromRows(book: readonly CdrRecord[], known: ReadonlySet<string>): string[] {
  return book
    .filter(({ uniqueid }) => !known.has(uniqueid))
    .map(({ line }) => `Asterisk's book has a call that no row knows: ${line}`);
}
