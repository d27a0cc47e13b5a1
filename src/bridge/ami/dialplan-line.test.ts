import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../shared/process/clock.ts';
import { readDialplanLine } from './dialplan-line.ts';
import { account, startPlayer } from './link.fixture.ts';

const line = (Priority: string, Application: string, AppData: string) => ({
  Context: 'from-trunk',
  Extension: '_4930.',
  Priority,
  Application,
  AppData,
});

test('the line of the dialplan at which a caller hung up', async (t) => {
  const dialplan = [line('1', 'Answer', ''), line('2', 'VoiceMail', '101@default,u')];
  const { player, port } = await startPlayer(t, { dialplan });
  const read = (priority: string, context = 'from-trunk') =>
    readDialplanLine(
      { ...account, host: '127.0.0.1', port },
      { context, exten: '493012', priority },
      systemClock,
    );
  assert.equal(await read('2'), 'VoiceMail(101@default,u)');
  assert.equal(await read('7'), undefined);
  assert.equal(await read('2', 'elsewhere'), undefined);
  await player.close();
  assert.equal(await read('2'), undefined);
});
