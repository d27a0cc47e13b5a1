import { isDeepStrictEqual } from 'node:util';
import { type CdrRecord, wasAnswered } from './cdr.ts';
import type { FarEnd, ToldOf } from './far-end.ts';
import type { Office } from './offices.ts';
import { type ExpectedCall, expectedCalls, type Row } from './row.ts';
import type { Play } from './stage.ts';

/** What came of a row: what was told, what Asterisk says of it, and whether that is right. */
export type Verdict = {
  readonly row: string;
  readonly told: string;
  readonly cdr: string;
  /** Empty if all is right. */
  readonly faults: readonly string[];
  /** Calls on which Asterisk's own word and the far side agree, of how many that were to be told. */
  readonly agreed: number;
  readonly calls: number;
};

/** Compares what the far side holds of a row with what must be told, and with Asterisk's own word. */
export function judge(options: {
  readonly row: Row;
  readonly index: number;
  readonly office: Office;
  readonly play: Play;
  readonly records: readonly CdrRecord[];
  readonly farEnd: FarEnd;
}): Verdict {
  const { row, index, office, play, records, farEnd } = options;
  const expected = expectedCalls(row, index, office);
  const faults: string[] = [];
  const withheld = row.untold ?? 0;
  if (play.inbound.length !== expected.length + withheld) {
    faults.push(`${play.inbound.length} calls came in, not ${expected.length + withheld}`);
  }
  const told = play.inbound.map(({ uniqueid }) => farEnd.toldOf(uniqueid));
  for (const [i, call] of expected.entries()) {
    if (!isDeepStrictEqual(told[i], call)) faults.push(`told ${describe(told[i])}, not ${describe(call)}`);
  }
  const toldIds = new Set(play.inbound.slice(0, expected.length).map(({ uniqueid }) => uniqueid));
  for (const uniqueid of play.channels) {
    const extra = toldIds.has(uniqueid) ? undefined : farEnd.toldOf(uniqueid);
    if (extra) faults.push(`told of ${uniqueid}, which is no call to tell of: ${describe(extra)}`);
  }
  const words = play.inbound.slice(0, expected.length).map(({ uniqueid }, i) => {
    const text = wasAnswered(records, uniqueid) ? 'answered' : 'missed';
    const agrees = (text === 'answered') === told[i]?.told.some(({ status }) => status === 'answered');
    if (!agrees) faults.push(`Asterisk says ${text}`);
    return { text, agrees };
  });
  return {
    row: row.name,
    told: expected.length === 0 ? 'nothing' : told.slice(0, expected.length).map(describe).join(' | '),
    cdr: words.map(({ text }) => text).join(' | ') || '-',
    faults,
    agreed: words.filter(({ agrees }) => agrees).length,
    calls: expected.length,
  };
}

function describe(call: ToldOf | ExpectedCall | undefined): string {
  if (!call) return 'nothing';
  const events = call.told.map(({ status, caller_id }) => (caller_id ? `${status}(${caller_id})` : status));
  return `${call.from} ${events.join(' ')}`;
}
