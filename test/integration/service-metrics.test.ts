import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Log, LogFields } from '../../src/shared/log/log.ts';
import { event, serve } from '../tools/service/harness.ts';
import { form, person, visitor } from '../tools/service/people.ts';
import { bearer, screenEvents } from '../tools/service/stream.ts';

test('/metrics of the service counts what happens, without names', async (t) => {
  let fields: LogFields = {};
  const log: Log = {
    say(code, given) {
      if (code === 'service.metrics-listening') fields = given ?? {};
    },
    child: () => log,
  };
  const served = await serve(t, { metrics: { host: '127.0.0.1', port: 0 } }, log);
  const { a, ask, post, url } = served;
  const scrape = async () => (await fetch(`http://127.0.0.1:${fields.port}/metrics`)).text();
  const has = async (...lines: string[]) => {
    const text = await scrape();
    for (const line of lines) assert.ok(text.split('\n').includes(line), `${line}\nis not in\n${text}`);
  };
  await has('pbx_service_screens_connected 0', 'pbx_service_call_events_total{result="accepted"} 0');

  await person(served, { name: 'Jana', role: 'administrator' });
  const jana = await visitor(served, 'Jana');
  for (const status of ['ringing', 'ringing', 'completed'])
    assert.equal((await post(a.token, event({ status }))).status, 200);
  const screen = screenEvents(url, bearer(a.token));
  await screen.next();
  // A call that a screen shows is counted as others are.
  await post(a.token, event({ id: 'watched' }));
  assert.equal((await post('wrong', event())).status, 401);
  assert.equal((await post(a.token, event({ from: '' }))).status, 422);
  for (const number of ['+4930901820', '+4930901899'])
    assert.equal(
      (await ask(`/voice/priority?number=${encodeURIComponent(number)}`, { token: a.token })).status,
      200,
    );
  await ask(`${url}/calls`, { headers: { cookie: jana.cookie } });
  await ask(`${url}/account`, form(url, {}, { cookie: jana.cookie }));
  await has(
    'pbx_service_storage_working 1',
    'pbx_service_accounts 2',
    'pbx_service_integrations 4',
    'pbx_service_screens_connected 1',
    'pbx_service_call_events_total{result="accepted"} 3',
    'pbx_service_call_events_total{result="discarded"} 1',
    'pbx_service_lookups_total{result="found"} 1',
    'pbx_service_lookups_total{result="not_found"} 1',
    'pbx_service_request_duration_seconds_count{part="api",http="2xx"} 6',
    'pbx_service_request_duration_seconds_count{part="api",http="4xx"} 2',
    'pbx_service_alerts_unsent 0',
  );
  const text = await scrape();
  assert.match(text, /^nodejs_eventloop_lag_p99_seconds /m);
  assert.match(text, /^process_resident_memory_bytes /m);
  assert.doesNotMatch(text, /30901820|Alpha|Jana|PBX 1|pbx-1|watched/);
  assert.equal((await ask(`${url}/metrics`)).status, 404, 'not where browsers and phone systems come');
  await screen.return(undefined);
  await served.service.stop();
  await assert.rejects(scrape());
});
