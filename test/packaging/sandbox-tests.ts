import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { Agent, request as undici } from 'undici';
import { startReceivers } from '../alerts/alert-receivers.ts';
import { alertSettings } from '../alerts/cause.ts';
import { createCertificate } from '../tools/certificate.ts';
import { freePort } from '../tools/free-port.ts';
import { boot } from '../tools/packaging/container.ts';
import type { Machine } from '../tools/packaging/machine.ts';
import type { Packages } from '../tools/packaging/packages.ts';
import { createStand } from '../tools/program/stand.ts';
import { postgresImpossible, startCluster } from '../tools/servers/cluster.ts';
import { freepbxTable, startMariadb } from '../tools/servers/mariadb.ts';
import { startReceiver } from '../tools/service/webhook-receiver.ts';
import { until } from '../tools/until.ts';
import { restartUnit, settingsFile, succeeds, tellsACall, writeSettings } from './unit-tests.ts';

const bridge = 'pbx-bridge.service';
const service = 'pbx-bridge-service.service';

/** As settings write them, with an address that then answers. */
function listeningForms(): (readonly [form: string, reached: string])[] {
  const own = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  const addressOf = (family: 'IPv4' | 'IPv6') =>
    own
      .filter((it) => it.family === family && !it.internal && !it.address.startsWith('fe80'))
      .slice(0, 1)
      .map(({ address }) => (family === 'IPv4' ? address : `[${address}]`));
  const hasIpv6 = own.some(({ address }) => address === '::1');
  return [
    ['127.0.0.1', '127.0.0.1'],
    // Of a name with two addresses, a server of Node's takes the first, which hosts decide.
    ['localhost', 'localhost'],
    ['0.0.0.0', '127.0.0.1'],
    ...addressOf('IPv4').map((address) => [address, address] as const),
    ...(hasIpv6
      ? ([
          ['[::1]', '[::1]'],
          ['[::]', '[::1]'],
          ['[::]', '127.0.0.1'],
        ] as const)
      : []),
    ...addressOf('IPv6').map((address) => [address, address] as const),
  ];
}

/** Connects, as Asterisk does for a lookup. */
async function asks(reached: string, port: number): Promise<void> {
  const hosts = reached === 'localhost' ? ['127.0.0.1', '::1'] : [reached.replace(/[[\]]/g, '')];
  await Promise.any(
    hosts.map(async (host) => {
      const socket = connect({ host, port });
      await once(socket, 'connect');
      socket.destroy();
    }),
  );
}

/**
 * What both programs do with the network, as they are installed and under the restrictions of their units: they listen
 * in every form, connect to all that they connect to, and are not restarted.
 */
export async function sandboxTests(t: TestContext, packages: Packages, machine: Machine): Promise<void> {
  const impossible = await postgresImpossible();
  if (impossible) return t.skip(impossible);
  const stand = await createStand(t);
  const to = await startReceivers(t);
  const sockets = mkdtempSync(join(tmpdir(), 'pbx-bridge-sockets-'));
  t.after(() => rmSync(sockets, { recursive: true }));
  chmodSync(sockets, 0o777);
  const [postgres, mariadb] = await Promise.all([
    startCluster({ unix_socket_directories: sockets }),
    startMariadb(),
  ]);
  t.after(() => Promise.all([postgres.remove(), mariadb.stop()]).then(() => {}));
  chmodSync(dirname(mariadb.socket), 0o755);
  await mariadb.admin.query(
    `CREATE USER reader@'%' IDENTIFIED BY 'secret'; CREATE DATABASE asteriskcdrdb; USE asteriskcdrdb; ${freepbxTable};
     GRANT SELECT ON asteriskcdrdb.* TO reader@'%'`,
  );

  // As Debian's installer writes it.
  writeFileSync(machine.at('etc/hosts'), '127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n');
  copyFileSync(packages.now, machine.at('root/now.deb'));
  const mounts = [`--bind=${sockets}:/srv/postgres`, `--bind=${dirname(mariadb.socket)}:/srv/mariadb`];
  const container = await boot(machine, mounts);
  if (typeof container === 'string') return t.skip(container);
  t.after(() => container.stop());
  await succeeds(container, 'dpkg', '-i', '/root/now.deb');

  const bridgeSettings = settingsFile(machine, 'bridge', stand);
  const serviceSettings = (settings: Readonly<Record<string, string>>) =>
    writeSettings(machine.at('etc/pbx-bridge-service/service.env'), settings);
  /** Starts a unit with new settings, and sees that it goes on. */
  const restart = async (unit: string): Promise<void> => {
    const output = await restartUnit(container, unit);
    assert.equal(await container.property(unit, 'NRestarts'), '0', output);
  };
  const answers = async (host: string, port: number, path: string) => {
    const hosts = host === 'localhost' ? ['127.0.0.1', '[::1]'] : [host];
    const urls = hosts.map((it) => `http://${it}:${port}${path}`);
    const answer = await Promise.any(urls.map((url) => fetch(url)));
    assert.equal(answer.status, 200, answer.url);
  };

  await t.test('both listen in every form', async () => {
    for (const [form, reached] of listeningForms()) {
      const [agi, status, metrics, http] = [
        await freePort(),
        await freePort(),
        await freePort(),
        await freePort(),
      ];
      serviceSettings({ SERVICE_LISTEN: `${form}:${http}`, SERVICE_METRICS_LISTEN: `${form}:${metrics}` });
      bridgeSettings({
        AGI_LISTEN: `${form}:${agi}`,
        AGI_ALLOW: '0.0.0.0/0,::/0',
        STATUS_LISTEN: `${form}:${status}`,
      });
      await restart(service);
      await restart(bridge);
      await answers(reached, http, '/healthz');
      await answers(reached, metrics, '/metrics');
      await answers(reached, status, '/readyz');
      await asks(reached, agi);
    }
  });

  await t.test('the service answers https with what certbot has obtained', async (t) => {
    const name = 'calls.example.com';
    const live = machine.at('etc/letsencrypt/live', name);
    mkdirSync(live, { recursive: true, mode: 0o700 });
    const { cert, key } = await createCertificate(live, name);
    renameSync(cert, join(live, 'fullchain.pem'));
    renameSync(key, join(live, 'privkey.pem'));
    const hook = machine.at('root/hook');
    copyFileSync('config/certbot-deploy-hook', hook);
    chmodSync(hook, 0o755);
    const renewed = (lineage: string) =>
      succeeds(container, 'env', `RENEWED_LINEAGE=/etc/letsencrypt/live/${lineage}`, '/root/hook');
    await renewed('of-another-site');
    await renewed(name);
    const port = await freePort();
    serviceSettings({
      SERVICE_LISTEN: `127.0.0.1:${port}`,
      SERVICE_TLS_CERT: '/etc/pbx-bridge-service/fullchain.pem',
      SERVICE_TLS_KEY: '/etc/pbx-bridge-service/privkey.pem',
    });
    await restart(service);
    const dispatcher = new Agent({
      connect: { ca: readFileSync(join(live, 'fullchain.pem')), servername: name },
    });
    t.after(() => dispatcher.close());
    const { statusCode, body } = await undici(`https://127.0.0.1:${port}/healthz`, { dispatcher });
    assert.deepEqual([statusCode, await body.json()], [200, { storage: 'reached' }]);
    const { output } = await succeeds(container, 'pbx-bridge', 'service', 'link');
    assert.match(output, new RegExp(`https://127.0.0.1:${port}/sign-in#`));
  });

  await t.test('the bridge reaches the API by a proxy, mail servers and webhooks', async (t) => {
    const seen: string[] = [];
    const proxy = createServer((incoming, response) => {
      seen.push(incoming.url ?? '');
      const { pathname, search } = new URL(incoming.url ?? '');
      const { method, headers } = incoming;
      const onward = request(
        { port: new URL(stand.fakeApi.baseUrl).port, method, headers, path: pathname + search },
        (answer) => {
          response.writeHead(answer.statusCode ?? 500, answer.headers);
          answer.pipe(response);
        },
      );
      incoming.pipe(onward);
    }).listen(0, '127.0.0.1');
    t.after(() => proxy.closeAllConnections());
    t.after(() => proxy.close());
    await until('the proxy listens', () => proxy.listening);
    bridgeSettings({
      ...alertSettings(to),
      API_BASE_URL: stand.fakeApi.baseUrl.replace(/\/\/[^/]+/, '//api.test'),
      API_ALLOW_HTTP: 'yes',
      HTTP_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    });
    await restart(bridge);
    await tellsACall(stand);
    assert.ok(
      seen.some((url) => url.startsWith('http://api.test/')),
      seen.join(),
    );
    await stand.pbx.crash();
    await to.until('ami.unreachable began');
    await stand.pbx.listen();
    const tested = await succeeds(container, 'pbx-bridge', 'alert', 'test');
    assert.match(tested.output, /^accepted: mail .*\naccepted: webhook /m);
  });

  await t.test('it reads call records of MariaDB, by TCP and by its socket', async () => {
    for (const where of [
      `127.0.0.1:${mariadb.port}/asteriskcdrdb`,
      '127.0.0.1/asteriskcdrdb?socket=/srv/mariadb/socket',
    ]) {
      bridgeSettings({ CDR_SOURCE: `mysql://reader@${where}`, CDR_PASSWORD: 'secret' });
      await restart(bridge);
      const readers = async () =>
        (
          await mariadb.admin.query("SELECT host FROM information_schema.processlist WHERE user = 'reader'")
        )[0];
      const isReading = async () => {
        const now = (await readers()) as { host: string }[];
        return now.some(({ host }) => /:\d+$/.test(host) === !where.includes('socket'));
      };
      await until(`records are read from ${where}`, isReading, { state: readers });
    }
  });

  await t.test(
    'the service uses PostgreSQL, by TCP and by its socket, and sends webhooks and alerts',
    async (t) => {
      const receiver = await startReceiver(t);
      const byTcp = await postgres.database();
      const bySocket = `postgres://pbx:secret@/${byTcp.split('/').at(-1)}?host=/srv/postgres&port=${postgres.port}`;
      for (const DATABASE_URL of [byTcp, bySocket]) {
        const port = await freePort();
        serviceSettings({
          SERVICE_LISTEN: `127.0.0.1:${port}`,
          DATABASE_URL,
          SERVICE_WEBHOOK_NETWORKS: '127.0.0.1',
        });
        await restart(service);
        const settings = await succeeds(container, 'pbx-bridge', 'service', 'token');
        const [, token] = /^API_TOKEN=(\S+)$/m.exec(settings.output) ?? [];
        const admin = (await succeeds(container, 'pbx-bridge', 'service', 'account', 'admin-token')).output;
        const post = async (path: string, bearer: string | undefined, body: unknown) => {
          const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
            method: 'POST',
            headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
            body: JSON.stringify(body),
          });
          assert.ok(answer.ok, `${path}: ${answer.status} ${await answer.text()}`);
        };
        const [adminToken] = /\S{30,}/.exec(admin) ?? [];
        const url = `${receiver.url}${receiver.received.length}`;
        await post('/admin/webhooks', adminToken, { url });
        const before = receiver.received.length;
        await post('/api/v1/voice/call', token, {
          id: `call-${port}`,
          status: 'ringing',
          direction: 'inbound',
          from: '+4940669699999',
        });
        await receiver.until((all) => all.length > before);
      }
      // A backup that cannot be made is announced.
      serviceSettings({
        ...alertSettings(to),
        SERVICE_LISTEN: '127.0.0.1:0',
        SERVICE_BACKUP_DIR: '/nowhere',
      });
      await restart(service);
      await to.until('service.backup-failed began');
      const tested = await succeeds(container, 'pbx-bridge', 'service', 'alert', 'test');
      assert.match(tested.output, /^accepted: mail .*\naccepted: webhook /m);
    },
  );
}
