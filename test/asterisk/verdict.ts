import { isDeepStrictEqual } from 'node:util';
import type { CallExtras } from '../../src/shared/api/contract/call-extras.ts';
import { type CdrRecord, wasAnswered } from '../tools/lab/cdr.ts';
import { didOf } from '../tools/lab/dialplan.ts';
import type { FarEnd, ReceivedCall } from '../tools/lab/far-end.ts';
import { type Feed, isCdrKind } from '../tools/lab/feeds.ts';
import type { Office } from '../tools/lab/offices.ts';
import {
  callBackFaults,
  type ExpectedCall,
  type ExpectedMissed,
  type ExpectedReport,
  expectedCalls,
  type Row,
  whoFaults,
} from '../tools/lab/row.ts';
import type { Play } from '../tools/lab/stage.ts';

/** A row that was played. */
export type Played = {
  readonly row: Row;
  readonly index: number;
  readonly office: Office;
  /** Empty if it went wrong. */
  readonly play: Play;
  /** What went wrong on the telephone. */
  readonly wrong?: string;
  /** It went wrong on the telephone before, and was played once more. */
  readonly isSecondTry?: boolean;
};

/** What a bridge reported of a row, what Asterisk says of it, and whether that is right. */
export type Verdict = {
  readonly row: string;
  readonly feed: Feed;
  readonly reported: string;
  readonly cdr: string;
  /** Empty if all is right. */
  readonly faults: readonly string[];
  /** Right as the row says that call records have it, not as it was. */
  readonly marked: boolean;
  /** Calls on which Asterisk's own word and the API agree, of how many that were to be reported. */
  readonly agreed: number;
  readonly calls: number;
};

/** What must be reported of a row, from this feed. */
export function expectedOf(
  row: Row,
  feed: Feed,
): { readonly reported: readonly ExpectedReport[]; readonly marked: boolean } {
  const marked = isCdrKind(feed) && row.fromRecords !== undefined;
  return { reported: (marked ? row.fromRecords?.reported : undefined) ?? row.reported, marked };
}

/** Compares what the API holds of a row with what must be reported, and with Asterisk's own word. */
export function judge(
  { row, index, office, play, wrong }: Played,
  feed: Feed,
  farEnd: FarEnd,
  records: readonly CdrRecord[],
): Verdict {
  const { reported: expectedEvents, marked } = expectedOf(row, feed);
  const expected = expectedCalls({ reported: expectedEvents }, index, office);
  if (wrong !== undefined)
    return {
      row: row.name,
      feed,
      marked,
      reported: '?',
      cdr: '?',
      faults: [wrong],
      agreed: 0,
      calls: expected.length,
    };
  const faults: string[] = [];
  const callers = row.reported.length + (row.unreported ?? 0);
  if (play.inbound.length !== callers) faults.push(`${play.inbound.length} calls came in, not ${callers}`);
  const reported = play.inbound.map(({ uniqueid }) => farEnd.receivedOf(uniqueid));
  for (const [i, call] of expected.entries()) {
    if (!isDeepStrictEqual(reported[i], call))
      faults.push(`reported ${describe(reported[i])}, not ${describe(call)}`);
  }
  for (const { uniqueid } of play.inbound) {
    const events = farEnd.receivedOf(uniqueid)?.reported ?? [];
    const isMissed = farEnd.extrasOf(uniqueid).some(({ missed }) => missed);
    if (isMissed && events.some(({ status }) => status === 'answered')) faults.push('answered, and missed');
  }
  if (row.missed)
    faults.push(
      ...missedFaults(
        row.missed,
        feed,
        office,
        didOf(index, office.number),
        farEnd.extrasOf(play.inbound[0]?.uniqueid ?? ''),
      ),
    );
  if (!isCdrKind(feed))
    faults.push(
      ...whoFaults(row, office, farEnd.extrasOf(play.inbound[0]?.uniqueid ?? '')),
      ...callBackFaults(row, office, farEnd.callBacksOf(play.channels)),
    );
  if (marked && isDeepStrictEqual(reported.filter(Boolean), expectedCalls(row, index, office)))
    faults.push('the record knows it after all: remove fromRecords');
  const reportedIds = new Set(play.inbound.slice(0, expected.length).map(({ uniqueid }) => uniqueid));
  for (const uniqueid of play.channels) {
    const extra = reportedIds.has(uniqueid) ? undefined : farEnd.receivedOf(uniqueid);
    if (extra) faults.push(`reported ${uniqueid}, which is no call to report: ${describe(extra)}`);
  }
  const words = play.inbound.slice(0, expected.length).map(({ uniqueid }, i) => {
    const answered = wasAnswered(records, uniqueid);
    const text = answered ? 'answered' : 'missed';
    const known = row.fromRecords?.reported[i];
    const agrees =
      answered === reported[i]?.reported.some(({ status }) => status === 'answered') ||
      (known !== undefined && answered === (known.answeredBy !== undefined)) ||
      (answered && expectedEvents[i]?.recordedAsAnswered === true);
    if (!agrees) faults.push(`Asterisk says ${text}`);
    return { text, agrees };
  });
  return {
    row: row.name,
    feed,
    marked,
    reported:
      expected.length === 0 ? 'nothing' : reported.slice(0, expected.length).map(describe).join(' | '),
    cdr: words.map(({ text }) => text).join(' | ') || '-',
    faults,
    agreed: words.filter(({ agrees }) => agrees).length,
    calls: expected.length,
  };
}

/** What is wrong with what was sent of a missed call beyond the API's document. */
function missedFaults(
  { live, records }: ExpectedMissed,
  feed: Feed,
  { number, extension }: Office,
  did: string,
  extras: readonly CallExtras[],
): string[] {
  const { after, ...missed } = extras.at(-1)?.missed ?? {};
  const { by, ...place } = live;
  // Where a caller is, a bridge asks the PBX: from far away, or on a busy machine, the answer may come after the call.
  const isUnanswered = feed === 'live-5ms' && missed.where === undefined;
  const { where, name } = isUnanswered ? {} : isCdrKind(feed) ? (records ?? place) : place;
  const named = name?.replaceAll('{O}', `${number}`).replace('{1}', extension(1));
  // A bridge knows that a PBX has ended a call only after it has once heard a caller or phone end one.
  const whoEnded = missed.by === undefined && by === 'pbx' ? {} : { by };
  const expected = {
    ...(where && { where }),
    ...(named && { name: named }),
    ...(!isCdrKind(feed) && whoEnded),
  };
  // FreePBX moves calls out of the context in which they came in, and Master.csv has no column for the DID.
  const isNumber = (number?: string) => number === did || (isCdrKind(feed) && number === undefined);
  const line = /^(?:PJSIP|SIP)\/trunk$/;
  return [
    ...(isDeepStrictEqual(missed, expected)
      ? []
      : [`missed ${JSON.stringify(missed)}, not ${JSON.stringify(expected)}`]),
    ...(after === undefined || after > 60 ? [`missed after ${after} s`] : []),
    ...extras.flatMap((each) =>
      line.test(each.line ?? '') && each.at && isNumber(each.number_called)
        ? []
        : [`extras ${JSON.stringify(each)}`],
    ),
  ];
}

function describe(call: ReceivedCall | ExpectedCall | undefined): string {
  if (!call) return 'nothing';
  const events = call.reported.map(({ status, caller_id }) =>
    caller_id ? `${status}(${caller_id})` : status,
  );
  return `${call.from} ${events.join(' ')}`;
}
