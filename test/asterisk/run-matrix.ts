import { matchesGlob } from 'node:path';
import { type CdrRecord, cdrOf, parseCdr } from './cdr.ts';
import { type FarEnd, startFarEnd } from './far-end.ts';
import type { Version } from './install.ts';
import { type Lab, openLab } from './lab.ts';
import { type Office, offices } from './offices.ts';
import type { Row } from './row.ts';
import { matrix } from './rows/all.ts';
import { type Play, playRow } from './stage.ts';
import { tooBusy } from './too-busy.ts';
import { judge, type Verdict } from './verdict.ts';

/** The rows of a version whose name matches, with their places in the matrix. */
export function rowsOf(version: Version, glob = '*'): { row: Row; index: number }[] {
  return matrix
    .map((row, index) => ({ row, index }))
    .filter(({ row }) => (row.only ?? version) === version && matchesGlob(row.name, glob));
}

export type MatrixResult = {
  readonly release: string;
  readonly verdicts: readonly Verdict[];
  /** What is wrong beyond the rows: calls told that no row knows, calls of the PBX's own book that are missing. */
  readonly strays: readonly string[];
};

/**
 * Plays rows on a fresh Asterisk with the real bridge and a far side, several at a time, and judges each. Rows with
 * settings of their own have a bridge of their own, which hears all the same.
 */
export async function runMatrix(
  version: Version,
  options: { readonly rows?: string; readonly onVerdict?: (verdict: Verdict) => void } = {},
): Promise<MatrixResult> {
  const lab = await openLab(version);
  const farEnds = new Map<string, FarEnd>();
  try {
    const rows = rowsOf(version, options.rows);
    for (const { row } of rows) {
      const key = settingsKey(row);
      if (farEnds.has(key)) continue;
      farEnds.set(key, await startFarEnd({ amiPort: lab.pbx.ports.ami, settings: row.settings ?? {} }));
    }
    const judged = await playAll(rows, lab, farEnds, options.onVerdict);
    const book = parseCdr(await lab.pbx.cdr());
    // A row that went wrong on the telephone does not know its calls.
    const known = judged.every(({ play }) => play !== undefined);
    return {
      release: lab.pbx.release,
      verdicts: judged.map(({ verdict }) => verdict),
      strays: known ? [...findStrays(farEnds, judged), ...missingFromRows(book, judged)] : [],
    };
  } finally {
    for (const farEnd of farEnds.values()) await farEnd.stop();
    await lab.stop();
  }
}

type Judged = { readonly row: Row; readonly play: Play | undefined; readonly verdict: Verdict };

async function playAll(
  rows: readonly { row: Row; index: number }[],
  lab: Lab,
  farEnds: ReadonlyMap<string, FarEnd>,
  onVerdict: (verdict: Verdict) => void = () => {},
): Promise<Judged[]> {
  const judged: Judged[] = [];
  const left = [...rows];
  const work = async (office: Office) => {
    for (let next = left.shift(); next; next = left.shift()) {
      const farEnd = farEnds.get(settingsKey(next.row)) as FarEnd;
      const result = await playAndJudge({ ...next, office, lab, farEnd });
      const verdict = withExcuse(result.verdict);
      judged.push({ ...result, verdict });
      onVerdict(verdict);
    }
  };
  await Promise.all(offices.map(work));
  return judged;
}

/** Says of a row that went wrong whether the machine was too busy to play it. */
function withExcuse(verdict: Verdict): Verdict {
  const { faults } = verdict;
  const why = faults.length === 0 ? undefined : tooBusy();
  return why === undefined || faults.some((fault) => fault.includes(why))
    ? verdict
    : { ...verdict, faults: [...faults, why] };
}

async function playAndJudge(options: {
  readonly row: Row;
  readonly index: number;
  readonly office: Office;
  readonly lab: Lab;
  readonly farEnd: FarEnd;
}): Promise<Judged> {
  const { row, lab, farEnd } = options;
  try {
    const play = await playRow({ ...options, ...lab });
    const callers = play.inbound.map(({ uniqueid }) => uniqueid);
    const records = await cdrOf(lab.pbx, play.channels, callers);
    await untilTold(farEnd, callers.slice(0, row.told.length));
    return { row, play, verdict: judge({ ...options, play, records }) };
  } catch (error) {
    const verdict = {
      row: row.name,
      told: '?',
      cdr: '?',
      faults: [String(error)],
      agreed: 0,
      calls: row.told.length,
    };
    return { row, play: undefined, verdict };
  }
}

/** Waits until all these calls are completed at the far side; gives up after a minute: the verdict says what is missing. */
async function untilTold(farEnd: FarEnd, uniqueids: readonly string[]): Promise<void> {
  const isCompleted = (uniqueid: string) =>
    farEnd.toldOf(uniqueid)?.told.some(({ status }) => status === 'completed') ?? false;
  await farEnd.farSide.waitFor(() => uniqueids.every(isCompleted), 60_000).catch(() => {});
}

function settingsKey(row: Row): string {
  return JSON.stringify(row.settings ?? {});
}

/** Every call that a far side was told of belongs to a row, and nothing was told in the wrong order. */
function findStrays(farEnds: ReadonlyMap<string, FarEnd>, judged: readonly Judged[]): string[] {
  const known = new Set(judged.flatMap(({ play }) => [...(play?.channels ?? [])]));
  return [...farEnds].flatMap(([settings, farEnd]) => {
    const strays = farEnd.uniqueids().filter((uniqueid) => !known.has(uniqueid));
    const { inverted } = farEnd.farSide.counts();
    return [
      ...strays.map((uniqueid) => `told of ${uniqueid}, a call of no row (settings ${settings})`),
      ...(inverted > 0 ? [`${inverted} events came too late and were discarded (settings ${settings})`] : []),
    ];
  });
}

/** Every call to one of the lab's numbers in Asterisk's own book was an inbound call of a row. */
function missingFromRows(book: readonly CdrRecord[], judged: readonly Judged[]): string[] {
  const known = new Set(judged.flatMap(({ play }) => play?.inbound.map(({ uniqueid }) => uniqueid) ?? []));
  const inbound = book.filter(({ dst, dcontext, channel }) => {
    return /^493023125\d{3}$/.test(dst) && dcontext === 'from-trunk' && !channel.startsWith('Local/');
  });
  return inbound
    .filter(({ uniqueid }) => !known.has(uniqueid))
    .map(({ uniqueid, line }) => `Asterisk's book has the call ${uniqueid}, which no row knows: ${line}`);
}
