import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noon, statusWith } from './bridge-status.fixture.ts';
import { createMetrics } from './metrics.ts';

const rendered = async (changes: Parameters<typeof statusWith>[0] = {}) => {
  const metrics = createMetrics({ withProcess: false });
  metrics.attempted(200, 12);
  metrics.attempted(undefined, 5_000);
  metrics.delivered(40);
  await metrics.render(statusWith());
  return metrics.render(statusWith(changes));
};

test('counters and gauges have the values of the current status', async () => {
  const text = await rendered({ outbox: { waiting: 7, dead: 1, oldestWaitingAt: noon - 90_000 } });
  for (const line of [
    'pbx_bridge_info{version="1.2.3",pbx_id="pbx"} 1',
    'pbx_bridge_ready 1',
    'pbx_bridge_ami_up 1',
    'pbx_bridge_ami_events_total{fate="used"} 31',
    'pbx_bridge_call_events_total{status="answered"} 3',
    'pbx_bridge_outbox_waiting 7',
    'pbx_bridge_outbox_dead_letters 1',
    'pbx_bridge_outbox_oldest_waiting_seconds 90',
    'pbx_bridge_delivery_state{state="ok"} 1',
    'pbx_bridge_delivery_state{state="paused"} 0',
    'pbx_bridge_delivery_attempt_duration_seconds_count{http="2xx"} 1',
    'pbx_bridge_delivery_attempt_duration_seconds_count{http="none"} 1',
    'pbx_bridge_event_delay_seconds_count 1',
  ])
    assert.ok(text.split('\n').includes(line), `${line}\nis not in\n${text}`);
});

test('metrics that do not apply are absent, not 0', async () => {
  assert.doesNotMatch(await rendered(), /^pbx_bridge_lookups_total\{/m);
  assert.doesNotMatch(await rendered({ pbx: { lastEventAt: undefined } }), /^pbx_bridge_ami_last_event/m);
  assert.match(await rendered({ lookups: { found: 2 } }), /^pbx_bridge_lookups_total\{status="found"\} 2$/m);
});
