import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { atEnd, keepingLog, newEvent, temporaryFolder } from '../outbox.fixture.ts';
import { databasePath } from '../tables/database.ts';
import { createKeeper } from './keeper.ts';

test('keeper: a file that is damaged is repaired, and one that is damaged again at once is given up', (t) => {
  const directory = temporaryFolder(t);
  /** Another writer's row with the next number: only a damaged file has one. */
  const damage = () => {
    const db = new DatabaseSync(databasePath(directory));
    db.exec(`INSERT INTO event (seq, call_id, status, body, queued_at, state, attempts)
      SELECT seq + 1, 'other-' || seq, 'ringing', body, 0, 1, 0 FROM event ORDER BY seq DESC LIMIT 1`);
    db.close();
  };
  let damages = 0;
  const log = keepingLog();
  const keeper = createKeeper(
    { directory },
    {
      main: {
        answer() {},
        notify(notice) {
          const isRepaired = notice.type === 'storage' && notice.storage.state === 'working';
          if (isRepaired && damages-- > 0) damage();
        },
      },
      ...{ log, now: () => 0 },
    },
  );
  atEnd(t, () => keeper.close());
  const append = (id: number) => {
    const none = { calls: [], trunks: [], journal: '', journalAt: 0, unreported: [], cdrCheckpoint: '' };
    const { callId, status, body } = newEvent(`call-${id}`, 'ringing');
    const events = [callId, status, body];
    return keeper.run([{ id, name: 'append', args: [{ ...none, events, queuedAt: [0] }] }]);
  };
  append(1);
  damage();
  assert.deepEqual(append(2).errors, []);
  damage();
  damages = 1;
  assert.throws(() => append(3), /UNIQUE constraint failed: event.seq/);
  const repairs = log.lines.filter(({ code }) => code === 'outbox.repaired');
  assert.equal(repairs.length, 2);
});
