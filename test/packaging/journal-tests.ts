import assert from 'node:assert/strict';
import { markerCall, type Stand } from '../integration/stand.ts';
import { until } from '../until.ts';
import type { Container } from './container.ts';

type Entry = {
  readonly PRIORITY: string;
  readonly MESSAGE: string;
  readonly SYSLOG_IDENTIFIER: string;
  readonly __REALTIME_TIMESTAMP: string;
};

/** An hour, shortened: a refused login, a call, an API that is away, a full disk, an Asterisk that dies. */
const hour = [
  '3 ami.login-refused',
  '4 delivery.failed',
  '3 delivery.outage',
  '3 outbox.full',
  '4 ami.lost',
  '3 ami.unreachable',
];

/** Reads the journal of such an hour as an operator does; returns it. The unit is stopped before and after. */
export async function journalTests(unit: string, { container, stand, settings }: Stage): Promise<string> {
  const { run } = container;
  const system = async (command: string, ...args: string[]) => {
    const { code, output } = await run(command, ...args);
    assert.equal(code, 0, output);
  };
  // Not --after-cursor: with a filter, journalctl of systemd 252 leaves out the first entry after it.
  const entries = async (...which: string[]): Promise<Entry[]> => {
    const { output } = await run('journalctl', '--no-pager', '-o', 'json', ...which);
    return output.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
  };
  const time = (entry: Entry | undefined) => Number(entry?.__REALTIME_TIMESTAMP);
  const since = time((await entries('-n', '1'))[0]);
  const read = async (...which: string[]) =>
    (await entries('-u', unit, ...which)).filter((entry) => time(entry) > since);
  const untilSaid = async (wanted: RegExp, meanwhile = () => {}) => {
    const isSaid = async () => {
      meanwhile();
      return (await read()).some(({ MESSAGE }) => wanted.test(MESSAGE));
    };
    const state = async () => text(await read());
    await until(`${wanted} is in the journal`, isSaid, { state, everyMs: 100 });
  };
  const call = () => {
    for (const frame of markerCall().frames) stand.pbx.send(frame);
  };

  const folder = '/var/lib/pbx-bridge/bridge';
  await system('mount', '-t', 'tmpfs', '-o', 'size=16m,mode=0700', 'small', folder);
  try {
    settings({ ALERT_AFTER: '1d', AMI_SECRET: 'wrong' });
    await system('systemctl', 'start', unit);
    await untilSaid(/\[ami\.login-refused\]$/);
    settings({ ALERT_AFTER: '1d' });
    await system('systemctl', 'reload', unit);
    await container.until(unit, 'StatusText', /^Asterisk /);
    call();
    await untilSaid(/\[call\.completed\]$/);
    await container.until(unit, 'StatusText', / 0 waiting$/);

    await stand.farSide.close();
    call();
    await untilSaid(/\[delivery\.outage\]$/);
    await stand.farSide.reopen();
    await system('systemctl', 'reload', unit);
    await untilSaid(/\[delivery\.resumed\]$/);

    await run('sh', '-c', `cat /dev/zero > ${folder}/filler`);
    // The first calls may fit.
    await untilSaid(/\[outbox\.full\]$/, call);
    await system('rm', `${folder}/filler`);
    await untilSaid(/\[outbox\.working\]$/);

    await stand.pbx.crash();
    await untilSaid(/\[ami\.unreachable\]$/);
    await stand.pbx.listen();
    await container.until(unit, 'StatusText', /^Asterisk .* 0 waiting$/);

    assert.deepEqual(codesOf(await read('-p', 'warning')), hour);
    const all = (await read()).filter(({ SYSLOG_IDENTIFIER }) => SYSLOG_IDENTIFIER === 'pbx-bridge');
    for (const { MESSAGE } of all) assert.match(MESSAGE, /^[^<{].*[^.\]] \[[a-z]+\.[a-z-]+\]$/);
    const usual = ['6 program.started', '6 ami.connected', '6 call.completed', '6 delivery.resumed'];
    assert.deepEqual(
      usual.filter((line) => !codesOf(all).includes(line)),
      [],
    );
    assert.match(
      text(all),
      /^<3>cannot log in to Asterisk at 127\.0\.0\.1:\d+: login refused \(Authentication failed\); retrying /m,
    );
    await system('pbx-bridge', 'bugreport', '--out', '/tmp/report.txt');
    const report = await run('cat', '/tmp/report.txt');
    assert.match(
      report.output,
      /^20\S+Z error ami\.login-refused cannot log in to Asterisk at 127\.0\.0\.1:\d+: /m,
    );

    settings({ LOG_FORMAT: 'json' });
    await system('systemctl', 'restart', unit);
    await untilSaid(/^\{"level":"info",.*"code":"program\.started".*\}$/);
    return text(all);
  } finally {
    settings({});
    await run('systemctl', 'stop', unit);
    await run('umount', folder);
  }
}

type Stage = {
  readonly container: Container;
  readonly stand: Stand;
  readonly settings: (changes: Record<string, string | undefined>) => void;
};

const text = (entries: readonly Entry[]) =>
  entries.map(({ PRIORITY, MESSAGE }) => `<${PRIORITY}>${MESSAGE}`).join('\n');

/** Each line once: on a slow machine, what lasts is said again. */
const codesOf = (entries: readonly Entry[]) => [
  ...new Set(entries.map(({ PRIORITY, MESSAGE }) => `${PRIORITY} ${/[\w.-]+(?=\]$)/.exec(MESSAGE)}`)),
];
