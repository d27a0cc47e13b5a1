import { createOffice, eventsOf, heldAtTheEnd, playDay } from '../program/pair.ts';
import { print } from './compare.ts';

/**
 * What a second bridge on the same PBX costs the API: requests and history entries for each event, with one
 * bridge, with two that report everything, and with two of which one stands by.
 */
const day = { seed: 11, calls: Number(process.argv[2] ?? 300), talkMs: 4_000 };

const setUps: readonly (readonly [string, readonly Readonly<Record<string, string>>[]])[] = [
  ['one bridge', [{}]],
  ['two bridges, both report everything', [{}, {}]],
  ['two bridges, one stands by (10 s)', [{}, { STANDBY_DELAY_MS: '10000' }]],
];

print(`${day.calls} calls of all kinds, some seven a second`);
for (const [name, bridges] of setUps) {
  const office = await createOffice(day);
  const halves = [];
  for (const [index, settings] of bridges.entries())
    halves.push(await office.addBridge(`bridge-${index}`, { settings }));
  await playDay(office).over;
  await heldAtTheEnd(office, 120_000);
  await Promise.all(halves.map((half) => half.atRest()));
  const { requests } = office.fakeApi.counts();
  const [posts, events] = [office.fakeApi.history().length, eventsOf(office)];
  print(
    `${name.padEnd(36)} ${(requests / events).toFixed(2)} requests for each event, ${(posts / events).toFixed(2)} entries in the history`,
  );
  await office.close();
}
