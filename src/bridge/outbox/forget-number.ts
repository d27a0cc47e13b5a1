import type { DatabaseSync } from 'node:sqlite';
import { parseJson } from '../../shared/process/parse-json.ts';
import { deliveredState } from './tables/outcomes.ts';

/** The `from` of an event whose number was forgotten: the API accepts it, and it belongs to no caller. */
const FORGOTTEN = '0';

/** These read everything; nothing is locked meanwhile. */
const namingSql = {
  events: 'SELECT seq AS id, state, body AS text FROM event',
  journal: 'SELECT id, lines AS text FROM journal',
  unreported: 'SELECT rowid AS id, why AS text FROM unreported',
} as const;

type EventRow = TextRow & { readonly state: number };
type TextRow = { readonly id: number; readonly text: string };

type Forgotten = {
  readonly events: number;
  readonly journal: number;
  readonly undelivered: number;
};

/**
 * Removes a caller's number from delivered events, whose `from` becomes `0`, and from their other fields and the journal,
 * which are written `masked`. Undelivered events are only counted.
 */
export function forgetNumber(
  db: DatabaseSync,
  transact: (work: () => void) => void,
  number: string,
  masked: (text: string) => string,
): Forgotten {
  const naming = <Row extends TextRow>(sql: string) =>
    (db.prepare(sql).iterate() as IteratorObject<Row>).filter(({ text }) => masked(text) !== text).toArray();
  const events = naming<EventRow>(namingSql.events);
  const delivered = events.filter(({ state }) => state === deliveredState);
  const journal = naming(namingSql.journal);
  const unreported = naming(namingSql.unreported);
  const setBody = db.prepare(`UPDATE event SET body = ? WHERE seq = ? AND state = ${deliveredState}`);
  const setLines = db.prepare('UPDATE journal SET lines = ? WHERE id = ?');
  const setWhy = db.prepare('UPDATE unreported SET why = ? WHERE rowid = ?');
  transact(() => {
    for (const { id, text } of delivered) {
      const event = parseJson(text) as { from?: unknown };
      const isCaller = event.from === number;
      setBody.run(masked(JSON.stringify({ ...event, ...(isCaller && { from: FORGOTTEN }) })), id);
    }
    for (const { id, text } of journal) setLines.run(masked(text), id);
    for (const { id, text } of unreported) setWhy.run(masked(text), id);
  });
  return {
    events: delivered.length,
    journal: journal.length,
    undelivered: events.length - delivered.length,
  };
}
