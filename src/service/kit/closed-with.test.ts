import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { FastifyReply } from 'fastify';
import { createBudget } from './budget.ts';
import { closedWith, whenClosed } from './closed-with.ts';

test('what is taken for a reply is given back with its end, also if its client had left before', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const open = async () => {
    const client = get({ host: '127.0.0.1', port }).on('error', () => {});
    const [, raw] = (await once(server, 'request')) as [unknown, ServerResponse];
    return { client, raw, reply: { raw } as FastifyReply };
  };
  const budget = createBudget(1, 'reads');

  const stays = await open();
  whenClosed(stays.reply, budget.take('a'));
  assert.throws(() => budget.take('a'), /Too many reads/);
  stays.raw.end();
  await once(stays.raw, 'close');

  const left = await open();
  left.client.destroy();
  await once(left.raw, 'close');
  whenClosed(left.reply, budget.take('a'));
  budget.take('a')();
  assert.equal(closedWith(left.reply).aborted, true);
});
