import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { CallStatus } from '../../src/api/contract/call-status.ts';
import type { Store } from '../../src/service/store/store.ts';
import type { BridgeStatus } from '../../src/status/bridge-status.ts';
import { postgresImpossible } from '../postgres/cluster.ts';
import { allCalls } from '../postgres/replay.ts';
import { startReplicated } from '../postgres/replicated.ts';
import { startSite, watch } from '../postgres/site.ts';
import { createOffice, type Half, playDay } from './pair.ts';
import { markerCall } from './stand.ts';

/**
 * The whole way of a call: a phone system (played, over TCP), a bridge as its own process, nginx, two services, a
 * primary and its standby. In the middle of the day the primary is killed, and the standby promoted once the bridge
 * has noticed.
 */
const skip = (await postgresImpossible()) ?? false;
const day = { seed: 11, calls: 48, talkMs: 1_500 } as const;

describe('a bridge reports to a service whose database dies and is taken over', {
  skip,
  concurrency: 1,
}, () => {
  test('the service holds what the bridge reported, and the bridge has seen a delay', async (t) => {
    const { primary, promote, site, office, bridge } = await start(t, { synchronous: true });
    const { over, at } = playDay(office);
    await at(0.4);
    await primary.kill();
    await bridge.program().says(/"code":"delivery\.outage"/);
    await promote();
    await bridge.program().says(/"code":"delivery\.resumed"/);
    const screen = watch(t, site.services[1]?.url ?? '', site.token);
    await screen.open;
    await over;
    const late = markerCall();
    for (const frame of late.frames) office.pbx.send(frame);
    await screen.saw([{ id: late.id, status: 'completed' }]);
    await bridge.atRest();

    const expected = new Map<string, readonly CallStatus[]>([
      ...office.day.map(({ call, startMs }) => [idOf(startMs), call.reported] as const),
      [late.id, ['ringing', 'completed']],
    ]);
    for (const [id, reported] of expected) if (reported.length === 0) expected.delete(id);
    const calls = await allCalls(site.store);
    assert.deepEqual(calls.map(({ id, status }) => [id, status]).sort(), ends(expected));
    assert.deepEqual(new Map([...(await recorded(site.store))].sort()), new Map([...expected].sort()));
    assert.deepEqual(await notThere(site.store, acknowledged(bridge)), []);

    const { outbox } = await statusOf(bridge);
    assert.deepEqual({ waiting: outbox.waiting, dead: outbox.dead }, { waiting: 0, dead: 0 });
    const said = lines(bridge).filter(({ level }) => level !== 'debug' && level !== 'info');
    assert.deepEqual(
      said.filter(({ level }) => level === 'error').map(({ code }) => code),
      ['delivery.outage'],
    );
    assert.deepEqual([...new Set(said.map(({ code }) => code))].sort(), [
      'delivery.failed',
      'delivery.outage',
    ]);
    assert.equal(lines(bridge).filter(({ code }) => code === 'delivery.resumed').length, 1);
  });

  test('without a synchronous standby acknowledged events are lost: the comparison can fail', async (t) => {
    const { primary, standby, promote, site, office, bridge } = await start(t, { synchronous: false });
    const { at } = playDay(office);
    await at(0.2);
    await standby.kill(); // nobody waits for it
    await at(0.5);
    await primary.kill();
    const reported = acknowledged(bridge);
    await standby.start();
    await promote();
    assert.notDeepEqual(await notThere(site.store, reported), []);
  });
});

async function start(t: TestContext, options: { synchronous: boolean }) {
  const { address, ...servers } = await startReplicated(t, options);
  const site = await startSite(t, address, 2);
  const office = await createOffice(day);
  t.after(office.close);
  const bridge = await office.addBridge('one', {
    settings: {
      API_BASE_URL: `${site.url}/api/v1`,
      API_TOKEN: site.token,
      LOG_LEVEL: 'debug',
      // It would send again what the API has lost.
      RECONCILE_EVERY: '0s',
    },
  });
  return { ...servers, site, office, bridge };
}

/** The calls of the day begin 150 ms apart; see pair.ts. */
const idOf = (startMs: number) => `pbx-1795000000.${(startMs / 150) * 8}`;

type Line = { readonly level: string; readonly code: string; readonly call: string; readonly status: string };
type Event = { readonly call: string; readonly status: string };

/** Without the one that it may be writing. */
const lines = (bridge: Half): Line[] =>
  bridge
    .program()
    .output()
    .split('\n')
    .slice(0, -1)
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));

/** What got its 200, by the bridge's log. */
const acknowledged = (bridge: Half): Event[] =>
  lines(bridge)
    .filter(({ code }) => code === 'delivery.delivered')
    .map(({ call, status }) => ({ call, status }));

/** What was reported of each call, in the order of the history. What is sent again counts once. */
async function recorded(store: Store): Promise<Map<string, CallStatus[]>> {
  const entries = await Array.fromAsync(store.requests.all({ account: 1, search: null, order: 'oldest' }));
  const reported = new Map<string, CallStatus[]>();
  for (const { request } of entries.flat().sort((a, b) => a.id - b.id)) {
    const { id, status } = JSON.parse(request as string);
    const known = reported.get(id) ?? [];
    if (!known.includes(status)) reported.set(id, [...known, status]);
  }
  return reported;
}

async function notThere(store: Store, events: readonly Event[]): Promise<Event[]> {
  const reported = await recorded(store);
  return events.filter(({ call, status }) => !reported.get(call)?.includes(status as CallStatus));
}

const ends = (reported: ReadonlyMap<string, readonly CallStatus[]>) =>
  [...reported].map(([id, states]) => [id, states.at(-1)]).sort();

async function statusOf(bridge: Half): Promise<BridgeStatus> {
  const [, port] = await bridge.program().says(/"code":"status\.listening"[^\n]*"port":(\d+)/);
  return (await (await fetch(`http://127.0.0.1:${port}/status.json`)).json()) as BridgeStatus;
}
