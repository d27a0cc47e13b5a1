import { setTimeout as wait } from 'node:timers/promises';
import {
  type BackfillProgress,
  callsIn,
  dayOf,
  type PastCounts,
  readProgress,
  readWish,
  totals,
  type Wish,
} from '../bridge/cdr/backfill-state.ts';
import type { Operator } from '../bridge/outbox/operator.ts';
import { runningBridge } from '../bridge/outbox/tables/database.ts';
import { type Context, exitCodes, openForChange } from './command-context.ts';
import { apiSection } from './config/api-section.ts';
import { cdrSection } from './config/cdr-section.ts';
import { loadConfig } from './config/env.ts';
import { outboxSection } from './config/outbox-section.ts';

type BackfillOptions = {
  readonly since?: string;
  readonly dryRun?: boolean;
  readonly again?: boolean;
  readonly stop?: boolean;
};

/** How often to look how far a dry run is, ms. */
const LOOK_MS = 200;

/**
 * Asks the bridge for the calls of before its first day, or shows how far it is. The bridge reads them: it alone knows from
 * the PBX which endpoints are phones, and which calls are decided.
 */
export async function backfill(
  context: Context,
  { since, dryRun = false, again = false, stop = false }: BackfillOptions,
  signal: AbortSignal,
): Promise<number> {
  const { printError } = context;
  const { outbox, cdr, api } = loadConfig(
    { outbox: outboxSection, cdr: cdrSection, api: apiSection },
    context.io.environment(),
  );
  using operator = openForChange(outbox.stateDir);
  if (stop) return end(context, operator);
  if (since === undefined && (dryRun || again))
    return refuse(`--${dryRun ? 'dry-run' : 'again'} needs --since`);
  if (since === undefined) return show(context, operator);
  const from = parseDay(since);
  const { wish, progress, bridgeSince } = operator.backfill();
  const known = readProgress(progress);
  if (cdr === undefined) return refuse('CDR_SOURCE is not set: the calls of the past are read from there');
  if (!dryRun && !api.extras)
    return refuse(
      'this needs API_EXTRAS=yes: without it an API has no time of a call, and would take calls of the past for calls of now',
    );
  const asked = readWish(wish);
  if (isUnderWay(asked, known))
    return refuse(
      `calls since ${dayOf(asked.since)} are being reported already; pbx-bridge backfill shows how far it is, and --stop ends it`,
    );
  const covered = again ? undefined : known?.covered;
  const until = covered?.since ?? bridgeSince;
  if (from >= until) {
    printError(
      covered === undefined
        ? `nothing to do: the bridge has reported calls itself since ${dayOf(until)}`
        : `nothing to do: calls since ${dayOf(until)} were reported in an earlier run; --again looks for others there, as after trunks add`,
    );
    return exitCodes.notFound;
  }
  const bridge = runningBridge(outbox.stateDir);
  if (dryRun && bridge === undefined)
    return refuse('the bridge does not run, and it alone can judge the calls: start it, then try again');
  const at = Date.now();
  operator.wishBackfill(JSON.stringify({ at, since: from, isDry: dryRun, again } satisfies Wish));
  if (dryRun) return await showDryRun(context, operator, at, signal);
  const later = bridge === undefined ? ' It does not run: it begins when it is started.' : '';
  context.printResult(
    { since: from, until },
    `The bridge reports the calls from ${dayOf(from)} until ${dayOf(until)}, while nothing else waits.${later} How far it is: pbx-bridge backfill`,
  );
  return exitCodes.ok;

  function refuse(why: string): number {
    printError(why);
    return exitCodes.failed;
  }
}

/** Whether calls are asked for that are not all reported: an earlier run may be done. */
function isUnderWay(
  wish: Wish | undefined,
  progress: BackfillProgress | undefined,
): wish is Wish & { isDry: false } {
  return wish?.isDry === false && !(progress?.of === wish.at && progress.state === 'done');
}

function end({ printError, printResult }: Context, operator: Operator): number {
  const { wish, progress } = operator.backfill();
  if (!isUnderWay(readWish(wish), readProgress(progress))) {
    printError('no backfill is under way');
    return exitCodes.notFound;
  }
  operator.wishBackfill(null);
  printResult(
    {},
    'The bridge stops within seconds, and keeps its place: the same command with --since goes on from there.',
  );
  return exitCodes.ok;
}

/** How far the bridge is. */
function show(context: Context, operator: Operator): number {
  const { wish: text, progress: saved } = operator.backfill();
  const [wish, progress] = [readWish(text), readProgress(saved)];
  const asked = wish?.isDry === false ? wish : undefined;
  if (progress === undefined || (asked !== undefined && progress.of !== asked.at)) {
    if (asked === undefined) context.printError('no backfill yet: see pbx-bridge backfill --help');
    else context.printResult({ since: asked.since, state: 'asked' }, 'The bridge has not begun yet.');
    return asked === undefined ? exitCodes.notFound : exitCodes.ok;
  }
  const state = asked === undefined && progress.state !== 'done' ? 'stopped' : progress.state;
  const { since, until, why } = progress;
  const texts = {
    reading: 'under way',
    waiting: `waiting: ${why}`,
    stopped: 'stopped; the same command with --since goes on',
    done: 'done',
  };
  print(context, progress, state, `Calls from ${dayOf(since)} until ${dayOf(until)}: ${texts[state]}.`);
  return state === 'waiting' ? exitCodes.problem : exitCodes.ok;
}

/** Shows what a dry run counts, when it is done. `of`: when it was asked for. */
export async function showDryRun(
  context: Context,
  operator: Operator,
  of: number,
  signal: AbortSignal,
): Promise<number> {
  for (;;) {
    const { wish, dry } = operator.backfill();
    const found = readProgress(dry);
    if (found?.of === of && found.state === 'done') {
      const { since, until } = found;
      const what = `Calls from ${dayOf(since)} until ${dayOf(until)} that would be reported; nothing was.`;
      print(context, found, 'done', what);
      return totals(found).calls > 0 ? exitCodes.ok : exitCodes.notFound;
    }
    // What another one has asked for is not ended here.
    if (readWish(wish)?.at !== of) {
      context.printError('another backfill was asked for meanwhile, or --stop; nothing was counted');
      return exitCodes.failed;
    }
    const why = found?.of === of && found.state === 'waiting' ? found.why : undefined;
    if (why !== undefined || signal.aborted) {
      operator.wishBackfill(null);
      context.printError(why ?? 'stopped; nothing was reported');
      return exitCodes.failed;
    }
    await wait(LOOK_MS, undefined, { signal }).catch(() => {});
  }
}

function print(context: Context, progress: BackfillProgress, state: string, title: string): void {
  const { terminal, json } = context;
  const { since, until, source, months, problems, why } = progress;
  if (json) {
    terminal.json({ state, why, source, since, until, months, problems, total: totals(progress) });
    return;
  }
  terminal.wrapped('', title, 0);
  const row = (name: string, counts: PastCounts) =>
    [callsIn(counts), counts.answered, counts.missed, counts.known, counts.unreported].reduce<string>(
      (line, count, at) => line + String(count).padStart(widths[at] as number),
      name.padEnd(7),
    );
  terminal.print();
  terminal.print(heads.reduce((line, head, at) => line + head.padStart(widths[at] as number), 'month  '));
  for (const month of Object.keys(months).sort()) terminal.print(row(month, months[month] as PastCounts));
  terminal.print(row('all', totals(progress)));
  const reasons = Object.entries(problems);
  if (reasons.length > 0) terminal.print('\nNot reported, or cannot be read:');
  for (const [reason, count] of reasons) terminal.wrapped(`${String(count).padStart(7)}  `, reason, 9);
}

const heads = ['calls', 'answered', 'missed', 'reported before', 'not reported'];
const widths = heads.map((head) => Math.max(head.length + 2, 9));

/** Local midnight of a day such as `2025-01-01`. */
function parseDay(text: string): number {
  const [, year = '', month = '', day = ''] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  const at = new Date(Number(year), Number(month) - 1, Number(day)).getTime();
  if (year === '' || dayOf(at) !== text)
    throw new Error(`--since takes a day such as 2025-01-01, not ${text}`);
  return at;
}
