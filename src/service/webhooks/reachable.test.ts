import assert from 'node:assert/strict';
import dns, { type LookupAddress } from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { test } from 'node:test';
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
  // What this machine knows of a name is another matter: localhost has one address here, and two there.
  const known = ['127.0.0.1', '127.0.0.1', '10.0.0.1', '::1'].map((address) => ({
    address,
    family: address.includes(':') ? 6 : 4,
  }));
  const { lookup } = dns;
  t.after(() => {
    dns.lookup = lookup;
    syncBuiltinESMExports();
  });
  dns.lookup = ((_: string, __: object, done: (error: null, found: LookupAddress[]) => void) =>
    done(null, known)) as typeof dns.lookup;
  syncBuiltinESMExports();
  const look = (networks: readonly string[], all: boolean) =>
    new Promise((resolve) =>
      lookupOf(reachable(networks))('receiver.example', { all }, (error, address) =>
        resolve(error?.code ?? address),
      ),
    );
  assert.equal(await look([], true), 'EACCES');
  assert.equal(await look([], false), 'EACCES');
  assert.equal(await look(['10.0.0.0/8'], false), '10.0.0.1');
  assert.deepEqual(await look(['10.0.0.0/8', '::1'], true), known.slice(2));
});
