import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '../../src/shared/process/clock.ts';
import { createCertificate } from '../tools/certificate.ts';
import { startFakeApi } from '../tools/fakes/fake-api.ts';
import { createPlayer } from '../tools/player/player.ts';
import { runCommand } from '../tools/program/operator.ts';
import { runProgram, temporaryFolder } from '../tools/program/program.ts';
import { markerCall } from '../tools/program/stand.ts';

test('AMI over TLS: a call is reported, also by an authority that the machine trusts; a certificate of another name or authority, and a port without TLS, are named', async (t) => {
  const folder = temporaryFolder(t);
  const own = await createCertificate(folder, 'pbx.example');
  const foreign = await createCertificate(folder, 'elsewhere.example');
  const account = { username: 'bridge', secret: 'sesame', clock: systemClock };
  const pbx = createPlayer({
    ...account,
    tls: { key: readFileSync(own.key), cert: readFileSync(own.cert) },
  });
  const plain = createPlayer(account);
  const [{ port }, { port: plainPort }] = [await pbx.listen(), await plain.listen()];
  const fakeApi = await startFakeApi({ token: 'a-token' });
  t.after(async () => {
    await pbx.close();
    await plain.close();
    await fakeApi.close();
  });
  const env = {
    AMI_PORT: String(port),
    AMI_USERNAME: 'bridge',
    AMI_SECRET: 'sesame',
    AMI_TLS: 'yes',
    AMI_TLS_CA: own.cert,
    AMI_TLS_SERVERNAME: 'pbx.example',
    API_BASE_URL: fakeApi.baseUrl,
    API_TOKEN: 'a-token',
    STATE_DIR: join(folder, 'state'),
    AGI_LISTEN: 'off',
    STATUS_LISTEN: 'off',
  };

  const program = runProgram(['run'], { cwd: folder, env });
  t.after(() => program.end('SIGKILL'));
  await program.says(/"code":"ami\.connected"/);
  const { id, frames } = markerCall();
  for (const frame of frames) pbx.send(frame);
  await fakeApi.waitFor((it) => it.calls().get(id)?.state === 'completed');
  await program.end();

  const { AMI_TLS_CA: _, ...withoutCa } = env;
  const trusting = runProgram(['run'], { cwd: folder, env: { ...withoutCa, SSL_CERT_FILE: own.cert } });
  t.after(() => trusting.end('SIGKILL'));
  await trusting.says(/"code":"ami\.connected"/);
  await trusting.end();

  const complaint = async (changes: Record<string, string>) => {
    const { text } = await runCommand(['check'], { ...env, ...changes });
    return /^FAIL +Asterisk at .*(?:\n {6}.*)*/m.exec(text)?.[0]?.replace(/\s+/g, ' ') ?? text;
  };
  assert.match(
    await complaint({ AMI_TLS_SERVERNAME: 'other.example' }),
    /certificate is for another name \(DNS:pbx\.example\)/,
  );
  assert.match(await complaint({ AMI_TLS_CA: foreign.cert }), /TLS: .*(self-signed|authority)/);
  assert.match(await complaint({ AMI_PORT: String(plainPort) }), /TLS: no TLS handshake/);
});
