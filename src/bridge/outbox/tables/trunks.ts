import type { DatabaseSync } from 'node:sqlite';

/** A trunk, and where that is known from; `state` is opaque text. */
export type StoredTrunk = { readonly endpoint: string; readonly source: string; readonly state: string };

/** A trunk that an operator has added stays, whatever its calls show. */
const addedSource = 'added';

const upsert = `INSERT INTO trunk (endpoint, source, state) VALUES (?, ?, ?)
  ON CONFLICT (endpoint) DO UPDATE SET`;

/** The trunks, as the bridge keeps them and as operators correct them while it runs. */
export function createTrunkTable(db: DatabaseSync) {
  const all = db.prepare('SELECT endpoint, source, state FROM trunk ORDER BY endpoint');
  const save = db.prepare(
    `${upsert} state = excluded.state, source = iif(source = '${addedSource}', source, excluded.source)`,
  );
  const unlearn = db.prepare(`DELETE FROM trunk WHERE endpoint = ? AND source <> '${addedSource}'`);
  const add = db.prepare(`${upsert} source = excluded.source`);
  const forget = db.prepare('DELETE FROM trunk WHERE endpoint = ?');
  return {
    trunks: () => all.all() as StoredTrunk[],
    /** endpoint, source, state, endpoint, ...; null instead of a state: it is no trunk. */
    saveTrunks(rows: readonly (string | null)[]): void {
      for (let i = 0; i < rows.length; i += 3) {
        const [endpoint, source, state] = rows.slice(i, i + 3) as [string, string, string | null];
        if (state === null) unlearn.run(endpoint);
        else save.run(endpoint, source, state);
      }
    },
    /** What an operator says. `state` is for one that is not known yet. */
    addTrunk: (endpoint: string, state: string): void => void add.run(endpoint, addedSource, state),
    /** False if there was none. */
    forgetTrunk: (endpoint: string): boolean => forget.run(endpoint).changes > 0,
  };
}
