import { allFields } from '../../../src/bridge/ami/wire/frame.ts';
import type { SimulatedCall } from '../player/simulated-calls.ts';

/**
 * What Asterisk would write into cdr-csv/Master.csv when this call is over (cdr_csv.c, with loguniqueid): a record of the
 * caller, and one of the far half of a Local channel where there was one.
 */
export function recordsOf({ frames }: SimulatedCall): string {
  const events = frames.map(({ frame }) => allFields(Buffer.from(frame)));
  const text = (event: ReadonlyMap<string, string> | undefined, key: string) => event?.get(key) ?? '';
  const legs = events.filter((event) => text(event, 'Event') === 'Newchannel');
  const joined = events.filter((event) => text(event, 'Event') === 'BridgeEnter');

  /** Who was in a bridge with this channel, else whom it rang. */
  function otherEnd(channel: string): string {
    const bridge = text(
      joined.find((event) => text(event, 'Channel') === channel),
      'BridgeUniqueid',
    );
    const partner = joined.find(
      (event) => text(event, 'BridgeUniqueid') === bridge && text(event, 'Channel') !== channel,
    );
    const rung = events.find((event) => text(event, 'Event') === 'DialBegin');
    return text(partner, 'Channel') || text(rung, 'DestChannel');
  }

  function record(leg: ReadonlyMap<string, string> | undefined): string {
    const channel = text(leg, 'Channel');
    const answered = joined.some((event) => text(event, 'Channel') === channel);
    const src = text(leg, 'CallerIDNum');
    const [start, end] = ['2026-11-20 06:00:00', '2026-11-20 06:00:09'];
    const columns = [
      '',
      src,
      's',
      text(leg, 'Context'),
      `<${src}>`,
      channel,
      otherEnd(channel),
      'Dial',
      '',
      start,
      answered ? start : '',
      end,
    ];
    const last = [answered ? 'ANSWERED' : 'NO ANSWER', 'DOCUMENTATION', text(leg, 'Uniqueid'), ''];
    const quoted = (values: readonly string[]) => values.map((value) => `"${value}"`).join();
    return `${quoted(columns)},9,${answered ? 9 : 0},${quoted(last)}\n`;
  }

  const farHalf = legs.find((leg) => text(leg, 'Channel').endsWith(';2'));
  return [farHalf, legs[0]].map((leg) => (leg === undefined ? '' : record(leg))).join('');
}
