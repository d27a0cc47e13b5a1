import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { migrate } from '../../storage/migrate.ts';
import { newEvent, temporaryFolder } from '../outbox.fixture.ts';
import { migrations } from '../tables/migrations.ts';
import { salvage } from './salvage.ts';

test('salvage: a row of an event that is older than a column of its table is read like one that has it', (t) => {
  const path = join(temporaryFolder(t), 'x.db');
  const db = new DatabaseSync(path);
  migrate(db, migrations, 1);
  const [a, b] = ['a', 'b'].map((id) => newEvent(id, 'ringing').body) as [string, string];
  const put = db.prepare(`INSERT INTO event VALUES (?, ?, 'ringing', ?, 5, 0, 2, 5, 9, NULL)`);
  put.run(1, 'a', a);
  put.run(2, 'b', b);
  migrate(db, migrations);
  db.exec('UPDATE event SET rejections = 1 WHERE seq = 2');
  db.close();
  const events = [...salvage(path, Buffer.alloc(0))].filter(({ table }) => table === 'event');
  assert.deepEqual(
    events.map(({ values }) => values),
    [
      [1, 'a', 'ringing', a, 5, 0, 2, 5, 9, null, 0],
      [2, 'b', 'ringing', b, 5, 0, 2, 5, 9, null, 1],
    ],
  );
});
