import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('..', import.meta.url));

/** Runs the script with a registry that answers as given. */
async function advisories(t: TestContext, answer: RequestListener) {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const cache = mkdtempSync(join(tmpdir(), 'npm-cache-'));
  t.after(() => rmSync(cache, { recursive: true, force: true }));
  const { port } = server.address() as { port: number };
  const settings = { registry: `http://127.0.0.1:${port}/`, cache, fetch_retries: '0' };
  const env = Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [`npm_config_${name}`, value]),
  );
  return new Promise<{ code: unknown; printed: string }>((resolve) => {
    const options = { cwd: project, env: { ...process.env, ...env } };
    execFile(process.execPath, ['test/advisories.ts'], options, (error, printed) =>
      resolve({ code: error?.code ?? 0, printed }),
    );
  });
}

const json =
  (content: unknown): RequestListener =>
  (request, response) => {
    const asked = request.url === '/-/npm/v1/security/advisories/bulk';
    response.writeHead(asked ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(asked ? content : {}));
  };

test('a registry that knows no advisories', async (t) => {
  const { code, printed } = await advisories(t, json({}));
  assert.match(printed, /^advisories: 0 on \d{2,} locked dependencies\n$/);
  assert.equal(code, 0);
});

test('an advisory on a locked dependency is printed, and fails', async (t) => {
  const advisory = {
    ...{ id: 1, url: 'https://example.com/1', title: 'Reads too much', severity: 'high' },
    ...{ vulnerable_versions: '<99', cwe: [], cvss: { score: 7, vectorString: null } },
  };
  const { code, printed } = await advisories(t, json({ fastify: [advisory] }));
  assert.match(
    printed,
    /^high {2}fastify <99 {2}Reads too much {2}https:\/\/example\.com\/1\nadvisories: 1 on /,
  );
  assert.equal(code, 1);
});

test('a registry that does not answer is one line, and no failure', async (t) => {
  const refuses: RequestListener = (_request, response) => response.writeHead(405).end();
  const { code, printed } = await advisories(t, refuses);
  assert.match(printed, /^advisories: not checked, the registry does not answer: 405 [^\n]*\n$/);
  assert.equal(code, 0);
});
