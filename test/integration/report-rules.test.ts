import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { askAgi, callFrom } from '../../src/bridge/agi/agi-client.fixture.ts';
import { scenario } from '../recordings/library.ts';
import { amiEvent } from '../tools/fakes/ami-event.ts';
import { runCommand } from '../tools/program/operator.ts';
import { callsOf, createStand } from '../tools/program/stand.ts';

const rules = 'ignore caller +49160*, ignore called 030999*';
/** A caller of an ignored number, one who calls an ignored one, and one of whom no rule says anything. */
const callers = [
  ['1763600000.1', '01601234567', '4930901820'],
  ['1763600000.2', '03012345678', '493099900'],
  ['1763600000.3', '03012345678', '4930901820'],
] as const;

test('an ignored call is not sent and not looked up; log, explain, status and metrics say so', async (t) => {
  const stand = await createStand(t, {
    REPORT_RULES: rules,
    AGI_LISTEN: '127.0.0.1:0',
    AGI_DEADLINE_MS: '5000',
    STATUS_LISTEN: '127.0.0.1:0',
  });
  await stand.start();
  for (const [uniqueid, number, exten] of callers) {
    const channel = {
      Channel: `PJSIP/trunk-0000000${uniqueid.slice(-1)}`,
      CallerIDNum: number,
      Exten: exten,
      Uniqueid: uniqueid,
      Linkedid: uniqueid,
    };
    stand.pbx.send(amiEvent('Newchannel', channel));
  }
  await stand.caughtUp();
  // Asterisk's channel of the first caller.
  const { variables } = await askAgi(stand.agiPort(), { lines: callFrom(callers[0][1]) });
  assert.equal(variables.CALLER_PRIORITY_STATUS, 'NOTFOUND');
  for (const [uniqueid, number] of callers)
    stand.pbx.send(
      amiEvent('Hangup', {
        Channel: `PJSIP/trunk-0000000${uniqueid.slice(-1)}`,
        CallerIDNum: number,
        Uniqueid: uniqueid,
        Linkedid: uniqueid,
      }),
    );
  await stand.caughtUp();
  await stand.fakeApi.waitFor((it) => it.calls().get('pbx-1763600000.3')?.state === 'completed');
  assert.deepEqual(
    callsOf(stand.fakeApi).map(({ id }) => id),
    ['pbx-1763600000.3'],
  );
  const asked = stand.fakeApi
    .requests()
    .flatMap(({ path, payload }) => (path === '/voice/priority' ? [String(payload.number)] : []));
  assert.ok(!asked.includes('+491601234567'), 'a lookup, or one in advance');

  const at = `http://127.0.0.1:${stand.statusPort()}`;
  const metrics = await (await fetch(`${at}/metrics`)).text();
  assert.match(metrics, /^pbx_bridge_calls_not_reported_total\{reason="ignored"\} 2$/m);
  const status = await runCommand(['status', '--url', at], stand.env);
  assert.match(status.text.replace(/\n +/g, ' '), /; 2 not reported \(ignored by REPORT_RULES\)/);
  await stand.stop();

  for (const [what, why] of [
    ['01601234567', 'ignore caller +49160*'],
    ['pbx-1763600000.2', 'ignore called 030999*'],
  ] as const) {
    const { text, code } = await runCommand(['explain', what], stand.env);
    assert.ok(text.includes(`NOT REPORTED: REPORT_RULES: ${why}`), text);
    assert.equal(code, 2);
  }
});

test('replay applies the rules: what a table would report is tried on a recording', async () => {
  const file = fileURLToPath(
    import.meta.resolve('../recordings/asterisk-22/extension-caller-hangs-up/ami.jsonl'),
  );
  const { calls } = scenario('asterisk-22/extension-caller-hangs-up');
  const number = calls[0]?.from ?? '';
  const replay = (REPORT_RULES: string, ...args: string[]) =>
    runCommand(['replay', file, ...args], { DEFAULT_COUNTRY: 'DE', REPORT_RULES });
  const ignored = await replay(`ignore caller ${number.slice(0, 6)}*`, '--calls', '--show-numbers');
  assert.equal(ignored.text, `${number} -> ignored\n`);
  const whole = await replay('ignore channel PJSIP/trunk');
  assert.match(whole.text.replace(/\n +/g, ' '), /not reported .* REPORT_RULES: ignore channel PJSIP\/trunk/);
  assert.match(whole.text, /0 calls would be reported/);
  const reported = await replay('report called 030*, ignore *', '--calls', '--show-numbers');
  assert.equal(reported.text, `${number} -> answered by ${calls[0]?.reported[1]?.caller_id}\n`);
  const rule = `ignore caller ${number.slice(0, -2)}[!${number.at(-2)}]*`;
  const unsure = await replay(rule, '--calls');
  assert.match(
    unsure.error.replace(/\n */g, ' '),
    /^Numbers may be masked in this recording: .* may decide otherwise of real ones: ignore caller/,
  );
  for (const { error } of [ignored, whole, reported]) assert.equal(error, '');
});
