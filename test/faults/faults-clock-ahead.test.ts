import assert from 'node:assert/strict';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { line } from '../../src/cdr/gap-filler.fixture.ts';
import { temporaryFolder } from '../integration/program.ts';
import { faketimeImpossible, underFaketime } from './faketime.ts';
import { createRig } from './rig.ts';

const reason = await faketimeImpossible();

/** The real program: its clock is 40 days ahead for a moment (OUTBOX_KEEP is 30), and right again in the gap that follows. */
test('a clock that was ahead stops no gap filling once it is right again', {
  skip: reason ?? false,
}, async (t) => {
  const folder = temporaryFolder(t);
  const records = join(folder, 'Master.csv');
  const file = join(folder, 'faketime');
  writeFileSync(records, '');
  const rig = await createRig({ CDR_SOURCE: `csv:${records}` });
  t.after(() => rig.close());
  const wrap = underFaketime({
    ...{ FAKETIME_TIMESTAMP_FILE: file, FAKETIME_NO_CACHE: '1', FAKETIME_DONT_FAKE_MONOTONIC: '1' },
  });
  const setClock = (text: string) => writeFileSync(file, `${text}\n`);
  const began = () => Math.floor(Date.now() / 1_000);
  /** A missed call of which only Asterisk's records tell; resolves when it has been reported. */
  const missedCall = async (nth: number, seconds = began()) => {
    const id = `pbx-${seconds}.${nth}`;
    appendFileSync(records, line(nth, { began: seconds }));
    await rig.farSide.waitFor(() => rig.farSide.calls().get(id)?.state === 'completed', 60_000);
  };

  setClock('+0');
  const first = rig.startBridge({ wrap });
  await first.says('ami.connected');
  await missedCall(1);
  setClock('+40d');
  // Reported while it is ahead, so the records have been read by that clock.
  await missedCall(2, began() + 40 * 86_400);
  first.kill('SIGTERM');
  await first.ended;
  setClock('+0');
  // In the gap.
  appendFileSync(records, line(3, { began: began() }));
  const second = rig.startBridge({ wrap });
  await missedCall(4);
  assert.match(String((await second.says('cdr.clock-was-ahead')).msg), /the clock was ahead/);
  assert.ok(
    [...rig.farSide.calls()].some(([id]) => id.endsWith('.3')),
    'the call in the gap',
  );
});
