import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { browse, linksIn } from './people.ts';
import { event, raw, serve } from './service-harness.ts';

/** The same call, reported by the kinds of client that people have. */
const statuses = ['ringing', 'answered', 'completed'] as const;

test('curl, as the documentation shows it', async (t) => {
  const { a, base, history } = await serve(t);
  const curl = async (...args: string[]) =>
    (await promisify(execFile)('curl', ['-sS', '-H', `Authorization: Bearer ${a.token}`, ...args])).stdout;
  const body = JSON.stringify(event({ id: 'curl' }));
  const json = ['-H', 'Content-Type: application/json', '-H', 'Accept: application/json'];
  assert.match(await curl(...json, '-d', body, `${base}/voice/call`), /^\{"result":"\w{48}"\}$/);
  assert.match(
    await curl(
      '-G',
      '-d',
      'id=curl&direction=inbound&status=answered',
      '--data-urlencode',
      'from=+4930901820',
      `${base}/voice/call`,
    ),
    /^\{"result":"\w{48}"\}$/,
  );
  assert.equal(
    await curl(`${base}/voice/priority?number=030901820`),
    '{"priority":10,"segment":"VIP","name":"Alpha\'s customer"}',
  );
  // curl waits a second for 100 Continue before a larger body.
  const large = JSON.stringify(event({ id: 'large', note: 'x'.repeat(20_000) }));
  assert.match(
    await curl(...json, '-H', 'Expect: 100-continue', '-d', large, `${base}/voice/call`),
    /result/,
  );
  const [first, second] = await history(a.token, '?sort=created_at');
  assert.deepEqual([first?.request, second?.method], [body, 'GET']);
});

test("the test call of an integration's page begins and ends, as often as it is made", async (t) => {
  const served = await serve(t);
  const { read } = await browse(served, 'Boss');
  const [path = ''] = linksIn((await read('/integrations')).main, '/integrations/').filter((it) =>
    /[0-9a-f]{16}$/.test(it),
  );
  const [, shown = ''] = /<pre id="curl"[^>]*>([^<]*)</.exec((await read(path)).text) ?? [];
  const command = shown.replaceAll('&quot;', '"').replaceAll('&amp;', '&').replace('sleep 5', 'sleep 0.5');
  for (const calls of [1, 2]) {
    await promisify(execFile)(calls === 1 ? 'sh' : 'bash', ['-c', command]);
    assert.equal((await read('/calls')).text.match(/state answered">answered</g)?.length, calls);
  }
});

test('pipelining: requests sent at once are answered, and applied, in order', async (t) => {
  const { a, url, history } = await serve(t);
  const requests = statuses.map((status) => {
    const body = JSON.stringify(event({ id: 'piped', status }));
    return `POST /api/v1/voice/call HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${a.token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  });
  const last = `GET /api/v1/voice/priority?number=110 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${a.token}\r\nConnection: close\r\n\r\n`;
  const answer = await raw(url, requests.join('') + last);
  assert.deepEqual(
    [...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status),
    ['200', '200', '200', '200'],
  );
  const entries = await history(a.token, '?search=request&search_term=piped');
  assert.deepEqual(
    entries.toSorted((x, y) => x.id - y.id).map(({ request }) => JSON.parse(request).status),
    [...statuses],
  );
});
