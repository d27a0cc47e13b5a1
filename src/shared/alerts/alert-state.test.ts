import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AlertInput, type AlertState, keptOf, newAlerts, nextAlerts } from './alert-state.ts';
import { problem } from './problem.ts';

const full = problem('storage', 'outbox.full', { directory: '/x', error: 'ENOSPC' });
const seen: AlertInput = { type: 'seen', seen: { problems: [full] } };

function run(state: AlertState, inputs: readonly AlertInput[], now = 1_800_000_000_000) {
  const effects = [];
  for (const input of inputs) {
    const next = nextAlerts(state, input, { now, afterMs: 0 });
    effects.length = 0;
    effects.push(...next.effects);
    state = next.state;
  }
  return { state, effects };
}

const begin = () => newAlerts(['mail', 'webhook'], { watched: {}, unsent: {} });

test('a problem is logged once, then sent to every target once it is kept', () => {
  const first = run(begin(), [seen]);
  assert.deepEqual(
    first.effects.map((effect) => effect.type === 'log' && effect.code),
    ['alert.began'],
  );
  const again = run(first.state, [seen]);
  assert.deepEqual(again.effects, []);
  const kept = run(again.state, [{ type: 'kept' }]);
  assert.deepEqual(
    kept.effects.map((effect) => effect.type === 'send' && [effect.target, effect.notices[0]?.code]),
    [
      ['mail', 'outbox.full'],
      ['webhook', 'outbox.full'],
    ],
  );
  assert.deepEqual(run(kept.state, [{ type: 'kept' }]).effects, [], 'it is under way');
});

test('what is sent is counted and not kept; what is refused is kept, logged once and sent again later', () => {
  const refused: AlertInput = { type: 'refused', target: 'webhook', error: new Error('no route') };
  const { state, effects } = run(begin(), [seen, { type: 'kept' }, { type: 'sent', target: 'mail' }]);
  assert.deepEqual(effects, [{ type: 'log', code: 'alert.sent', fields: { count: 1, target: 'mail' } }]);
  assert.equal(state.sent, 1);

  const first = run(state, [refused]);
  assert.equal(first.effects.length, 1);
  const { unsent } = keptOf(first.state);
  assert.deepEqual([unsent.mail?.length, unsent.webhook?.length], [0, 1]);
  assert.deepEqual(run(first.state, [{ type: 'kept' }]).effects, [], 'not at once');
  const later = run(first.state, [{ type: 'kept' }], 1_800_000_060_000);
  assert.deepEqual(later.effects.length, 1);
  assert.deepEqual(run(later.state, [refused]).effects, []);
});

test('problems that cannot be read are logged once, until they can be', () => {
  const failed: AlertInput = { type: 'not-read', error: new Error('closed') };
  const twice = run(begin(), [failed, failed]);
  assert.deepEqual([twice.state.isFailing, twice.effects], [true, []]);
  assert.equal(run(twice.state, [seen, failed]).effects.length, 1);
});
