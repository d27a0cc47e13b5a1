import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { always } from '../tools/fakes/fake-api-faults.ts';
import { createStand } from '../tools/program/stand.ts';
import { until } from '../tools/until.ts';

/** `make-outbox.ts STATE_DIR`: a bridge whose database has rows in every table. */
const [stateDir = ''] = process.argv.slice(2);
const stops: (() => unknown)[] = [];
const records = `${stateDir}-records.csv`;
writeFileSync(records, '');
mkdirSync(stateDir, { recursive: true, mode: 0o700 });
const stand = await createStand(
  { after: (stop) => void stops.push(stop) },
  { STATE_DIR: stateDir, CDR_SOURCE: `csv:${records}`, API_EXTRAS: 'yes' },
);
const { pbx, fakeApi } = stand;

const began = Math.floor(Date.now() / 1_000);
function call(nth: number, { number = `+4940123456${nth}`, presentation = '' } = {}) {
  const ids = `Uniqueid: ${began}.${nth}\r\nLinkedid: ${began}.${nth}`;
  const channel = `Channel: PJSIP/provider-0000000${nth}`;
  const context = `CallerIDNum: ${number}\r\nContext: from-trunk\r\nExten: 04066969100${presentation}`;
  return {
    id: `pbx-${began}.${nth}`,
    ring: () => pbx.send(`Event: Newchannel\r\n${channel}\r\nChannelState: 4\r\n${context}\r\n${ids}`),
    end: () => pbx.send(`Event: Hangup\r\n${channel}\r\n${ids}\r\nCause: 16`),
  };
}
const path = join(stateDir, 'outbox.db');
function count(sql: string): number {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    return Number(db.prepare(`SELECT count(*) AS count FROM ${sql}`).get()?.count);
  } finally {
    db.close();
  }
}
const rows = (sql: string, least = 1) =>
  until(`${least} rows: ${sql}`, () => count(sql) >= least, { state: () => count(sql) });

await stand.start();
const delivered = call(1);
delivered.ring();
delivered.end();
await rows('event WHERE state = 1', 2);
fakeApi.inject(
  always({ kind: 'status', status: 422, body: '{"message":"The from field is not a number."}' }),
);
call(2).ring();
await rows('event WHERE state = 2');
fakeApi.inject(undefined);
// A phone that calls out is not reported.
pbx.send(
  `Event: Newchannel\r\nChannel: PJSIP/1001-00000003\r\nChannelState: 4\r\nCallerIDNum: 1001\r\nContext: from-internal\r\nExten: 0401234567\r\nUniqueid: ${began}.3\r\nLinkedid: ${began}.3`,
);
// A call that began and ended without a connection, from Asterisk's records.
appendFileSync(records, recorded(4));
await rows('cdr_checkpoint');
await stand.caughtUp();
fakeApi.inject(always({ kind: 'status', status: 503 }));
const waiting = call(5);
waiting.ring();
waiting.end();
call(6).ring();
await stand.caughtUp();
await rows('event WHERE state = 0 AND attempts > 0');
await rows('attempt');
await rows('open_call');
await rows('journal');
await rows('trunk');
await stand.stop();
for (const stop of stops) await stop();

/** A line of Master.csv, with loguniqueid=yes. */
function recorded(nth: number): string {
  const time = (at: number) => new Date(at * 1_000).toISOString().slice(0, 19).replace('T', ' ');
  const at = began - 60;
  const fields = ['', `+4940123456${nth}`, '04066969100', 'from-trunk', `"" <+4940123456${nth}>`];
  const channels = [`PJSIP/provider-0000000${nth}`, 'PJSIP/1001-00000009', 'Dial', 'PJSIP/1001'];
  const times = [time(at), time(at + 5), time(at + 20)];
  const quoted = [...fields, ...channels, ...times].map((text) => `"${text.replaceAll('"', '""')}"`);
  return `${[...quoted, 20, 15, '"ANSWERED"', '"DOCUMENTATION"', `"${at}.${nth}"`, '""'].join(',')}\n`;
}
