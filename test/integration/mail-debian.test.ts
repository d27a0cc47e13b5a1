import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { cannotInstall, installPackages } from '../tools/debian.ts';
import { freePort } from '../tools/free-port.ts';
import { runCommand } from '../tools/program/operator.ts';
import { until } from '../tools/until.ts';

test("a test alert goes through Debian's OpenSMTPD into a mailbox", { skip: cannotInstall() }, async (t) => {
  await installPackages({ '/usr/sbin/smtpd': 'opensmtpd' });
  const folder = mkdtempSync(join(tmpdir(), 'opensmtpd-'));
  // Delivery runs as another user.
  chmodSync(folder, 0o755);
  const mailbox = join(folder, 'mail');
  mkdirSync(mailbox);
  chmodSync(mailbox, 0o777);
  const port = await freePort();
  const config = join(folder, 'smtpd.conf');
  writeFileSync(
    config,
    `listen on 127.0.0.1 port ${port}
action "keep" maildir "${mailbox}" virtual { "ops@alerts.example" = "nobody" }
match from any for domain "alerts.example" action "keep"
`,
  );
  const server = spawn('/usr/sbin/smtpd', ['-d', '-f', config], { stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (text) => (log += text));
  t.after(async () => {
    server.kill('SIGTERM');
    if (server.exitCode === null) await once(server, 'exit');
  });
  const env = {
    AMI_USERNAME: 'a',
    AMI_SECRET: 'b',
    API_BASE_URL: 'https://api.example/api/v1',
    API_TOKEN: 't',
    SMTP_URL: `smtp://127.0.0.1:${port}`,
    MAIL_FROM: 'pbx@alerts.example',
    ALERT_MAIL: 'ops@alerts.example',
  };
  const sent = await until('the mail server to answer', async () => {
    const ran = await runCommand(['alert', 'test'], env);
    return (!/ECONNREFUSED/.test(ran.text) || server.exitCode !== null) && ran;
  });
  assert.equal(sent.text, 'accepted: mail to ops@alerts.example\n', log);
  const inbox = join(mailbox, 'new');
  const arrived = () => existsSync(inbox) && readdirSync(inbox)[0];
  const name = await until('the mail', arrived, { state: () => log });
  assert.match(
    readFileSync(join(inbox, name), 'utf8'),
    /^Subject: \[pbx-bridge bridge pbx\] PROBLEM: this is a test/m,
  );
  const refused = await runCommand(['alert', 'test'], { ...env, ALERT_MAIL: 'nobody@elsewhere.example' });
  assert.match(refused.text, /refused the sender or the recipient: 550/);
});
