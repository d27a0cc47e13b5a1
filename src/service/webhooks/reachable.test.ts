import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { lookup, Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type TestContext, test } from 'node:test';
import { lookupOf, reachable } from './reachable.ts';

const internet = ['8.8.8.8', '100.63.255.255', '172.32.0.1', '193.0.0.1', '2606:4700::1111', '2a00:1450::1'];
const ours = `0.0.0.0 10.0.0.1 100.64.0.1 127.0.0.1 127.255.255.254 169.254.169.254 172.16.0.1 172.31.255.255
  192.168.1.1 192.0.2.1 198.18.0.1 224.0.0.1 240.0.0.1 255.255.255.255
  :: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:8.8.8.8 ::ffff:0:127.0.0.1 64:ff9b::7f00:1 64:ff9b:1::1
  100::1 2001::1 2001:db8::1 2002:7f00:1:: 3fff::1 fc00::1 fd12:3456::1 fe80::1 fec0::1 ff02::1 5f00::1`.split(
  /\s+/,
);

test('webhooks reach the Internet and no other network, however its address is written', () => {
  const mayReach = reachable([]);
  for (const address of internet) assert.ok(mayReach(address), address);
  for (const address of ours) assert.ok(!mayReach(address), address);
  for (const text of ['', 'localhost', '127.1', '10.0.0.1/8']) assert.ok(!mayReach(text), text);
});

test('networks that are allowed are reached too, and no more', () => {
  const mayReach = reachable(['10.1.0.0/16', '::1']);
  for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '::1', '8.8.8.8'])
    assert.ok(mayReach(address), address);
  for (const address of ['10.2.0.1', '127.0.0.1', '::2']) assert.ok(!mayReach(address), address);
});

test('a name leads to the addresses alone that may be reached', async (t) => {
  const known: Record<string, string[]> = { A: ['127.0.0.1', '127.0.0.1', '10.0.0.1'], AAAA: ['::1'] };
  const createResolver = await dnsServer(t, known);
  const look = (networks: readonly string[], all: boolean) =>
    new Promise((resolve) =>
      lookupOf(reachable(networks), false, createResolver)('receiver.example', { all }, (error, address) =>
        resolve(error?.code ?? address),
      ),
    );
  assert.equal(await look([], true), 'EACCES');
  assert.equal(await look([], false), 'EACCES');
  assert.equal(await look(['10.0.0.0/8'], false), '10.0.0.1');
  assert.deepEqual(await look(['10.0.0.0/8', '::1'], true), [
    { address: '10.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ]);
});

test('a name that DNS does not know, and one of which nobody says anything', async (t) => {
  const look = (createResolver: () => Resolver, host: string) =>
    new Promise((resolve) =>
      lookupOf(() => true, false, createResolver)(host, { all: true }, (error) => resolve(error?.code)),
    );
  assert.equal(await look(await dnsServer(t, {}), 'receiver.example'), 'ENOTFOUND');
  assert.equal(await look(await dnsServer(t, 'silent'), 'receiver.example'), 'EAI_AGAIN');
});

test('names that wait for an answer keep no thread of the process', async (t) => {
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  const look = lookupOf(() => true, false, await dnsServer(t, { A: ['8.8.8.8'] }, answered));
  const waiting = Array.from(
    { length: 20 },
    (_, n) => new Promise((resolve) => look(`h${n}.example`, { all: true }, (error) => resolve(error))),
  );
  // getaddrinfo(3) waits in such a thread, and files are read in one.
  await lookup('localhost');
  await readFile(import.meta.filename);
  answer();
  assert.deepEqual(new Set(await Promise.all(waiting)), new Set([null]));
});

/** Makes resolvers that ask a DNS server of this test (RFC 1035, 4.1), which has these addresses or says nothing. */
async function dnsServer(
  t: TestContext,
  known: 'silent' | Readonly<Record<string, readonly string[]>>,
  answers = Promise.resolve(),
) {
  const server = createSocket('udp4').bind(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  server.on('message', async (question, { port }) => {
    if (known === 'silent') return;
    await answers;
    // After the head of 12 bytes comes the name, which ends with a 0, and the type.
    const end = question.indexOf(0, 12) + 5;
    const type = question.readUInt16BE(end - 4) === 1 ? 'A' : 'AAAA';
    const addresses = known[type] ?? [];
    const head = Buffer.from(question.subarray(0, 12));
    // An answer, without an error or with "name error".
    head.writeUInt16BE(addresses.length === 0 ? 0x8183 : 0x8180, 2);
    head.writeUInt16BE(addresses.length, 6);
    head.writeUInt32BE(0, 8);
    const records = addresses.map((address) => {
      const data = type === 'A' ? Buffer.from(address.split('.').map(Number)) : Buffer.alloc(16);
      if (type === 'AAAA') data[15] = 1;
      // The name of the question, type, class, 0 s to live, length.
      return Buffer.concat([
        Buffer.from([0xc0, 12, ...question.subarray(end - 4, end), 0, 0, 0, 0, 0, data.length]),
        data,
      ]);
    });
    server.send(Buffer.concat([head, question.subarray(12, end), ...records]), port, '127.0.0.1');
  });
  return () => {
    const resolver = new Resolver(known === 'silent' ? { timeout: 500, tries: 2 } : { timeout: 60_000 });
    resolver.setServers([`127.0.0.1:${server.address().port}`]);
    return resolver;
  };
}
