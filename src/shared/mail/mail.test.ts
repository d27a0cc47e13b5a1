import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { createCertificate } from '../../../test/tools/certificate.ts';
import { createMailer, type MailOptions } from './mail.ts';
import { startMailServer, startSilentServer } from './mail-server.fixture.ts';

/** Reaches this machine, and does not look like it. */
const OTHER = '0.0.0.0';
const mail = { to: 'ops@example.com', subject: 'Line down – since 10:00', text: 'Grüße,\n.\nend' };
const options = (port: number, more: Partial<MailOptions> = {}): MailOptions => ({
  host: '127.0.0.1',
  port,
  secure: false,
  login: undefined,
  from: 'Phones <pbx@example.com>',
  ...more,
});
const login = { user: 'pbx', pass: 'p@ss' };

describe('mail', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mail-'));
  let certificate: Awaited<ReturnType<typeof createCertificate>>;
  const stops: (() => unknown)[] = [];
  const trusted = getCACertificates('default');
  before(async () => {
    certificate = await createCertificate(folder, OTHER);
  });
  after(async () => {
    setDefaultCACertificates(trusted);
    for (const stop of stops) await stop();
    rmSync(folder, { recursive: true });
  });
  const start = async (more: Parameters<typeof startMailServer>[0] = {}) => {
    const server = await startMailServer(more);
    stops.push(server.stop);
    return server;
  };
  const trust = (yes: boolean) =>
    setDefaultCACertificates(yes ? [...trusted, readFileSync(certificate.cert, 'utf8')] : trusted);

  test('arrives as it was written', async () => {
    const server = await start();
    await createMailer(options(server.port)).send({ ...mail, html: '<p>Grüße</p>' });
    const [{ from, to, data } = assert.fail()] = server.received;
    assert.deepEqual([from, to], ['pbx@example.com', ['ops@example.com']]);
    assert.match(data, /^From: Phones <pbx@example.com>\r$/m);
    assert.match(data, /^To: ops@example.com\r$/m);
    assert.match(data, /^Auto-Submitted: auto-generated\r$/m);
    assert.match(data, /Content-Type: text\/html/);
  });

  test('has one recipient and the headers it should have, whatever is in it', async () => {
    const server = await start();
    const mailer = createMailer(options(server.port));
    await mailer.send({ ...mail, subject: 'a\r\nBcc: other@example.com' });
    assert.doesNotMatch(server.received[0]?.data ?? '', /^Bcc/m);
    await mailer.send({ ...mail, to: 'a@example.com, b@example.com' }).catch(() => {});
    assert.ok(server.received.every(({ to }) => to.length === 1));
  });

  test('goes to another machine with a login over STARTTLS, if its certificate is trusted', async () => {
    const server = await start({ certificate, authOptional: false });
    trust(true);
    await createMailer(options(server.port, { host: OTHER, login })).send(mail);
    assert.deepEqual(
      server.received.map(({ secure, user }) => [secure, user]),
      [[true, 'pbx']],
    );
    trust(false);
    await assert.rejects(createMailer(options(server.port, { host: OTHER, login })).send(mail), {
      message: /^the mail server 0\.0\.0\.0:\d+ .*self-signed certificate/,
    });
    assert.equal(server.received.length, 1);
  });

  test('is not sent with a login to another machine without TLS', async () => {
    const users: unknown[] = [];
    const server = await start({
      allowInsecureAuth: true,
      onAuth: ({ username }, _, done) => done(null, { user: users.push(username) }),
    });
    await assert.rejects(
      createMailer(options(server.port, { host: OTHER, login })).send(mail),
      /offers no trusted TLS connection/,
    );
    assert.deepEqual([users, server.received], [[], []]);
  });

  test('goes to a mail server of this machine whatever its certificate is', async () => {
    const server = await start({ certificate });
    await createMailer(options(server.port, { login })).send(mail);
    assert.equal(server.received[0]?.user, 'pbx');
  });

  test('that is refused says by whom and why, without the password', async () => {
    const server = await start({ certificate });
    const wrong = createMailer(options(server.port, { login: { user: 'pbx', pass: 'wrong' } }));
    await assert.rejects(wrong.send(mail), (error: Error) => {
      assert.match(error.message, /^the mail server 127\.0\.0\.1:\d+ refused the login: .*wrong password/);
      return true;
    });
    await assert.rejects(
      createMailer(options(server.port)).send({ ...mail, to: 'nobody@example.com' }),
      /refused the sender or the recipient: .*no such user/,
    );
    const full = await start({
      onData: (stream, _, done) => {
        stream.resume();
        stream.on('end', () => done(Object.assign(new Error('mailbox full'), { responseCode: 452 })));
      },
    });
    await assert.rejects(createMailer(options(full.port)).send(mail), /refused the mail: 452 mailbox full/);
  });

  test('to a server that is not there, or says nothing, fails at the deadline at the latest', async () => {
    const gone = await startMailServer();
    await gone.stop();
    await assert.rejects(
      createMailer(options(gone.port)).send(mail),
      /cannot be reached: connect ECONNREFUSED/,
    );
    const silent = await startSilentServer();
    stops.push(silent.stop);
    await assert.rejects(
      createMailer(options(silent.port), 200).send(mail),
      /did not accept the mail within 0\.2 s/,
    );
  });
});
