import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createKeys, serverSecret } from '../../src/service/accounts/keys.ts';
import { run } from '../tools/packaging/machine.ts';
import { temporaryFolder } from '../tools/program/program.ts';
import { longestTestMs } from '../tools/runner/run-files.ts';
import { serve } from '../tools/service/harness.ts';

/** What makes a client of a document, and what it is compiled by; not ours, so not in our lock file. */
const packages = ['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0', 'typescript@5.9.3'];

const client = `
import createClient from 'openapi-fetch';
import type { paths as Administration } from './admin.d.ts';
import type { paths as Calls } from './api.d.ts';

const [baseUrl = '', operator = ''] = process.argv.slice(2);
const as = (token: string) => ({ headers: { authorization: \`Bearer \${token}\`, accept: 'application/json' } });
const accounts = createClient<Administration>({ baseUrl: \`\${baseUrl}/admin\`, ...as(operator) });
const { data: account } = await accounts.POST('/accounts', { body: { name: 'Gamma', country: 'NL' } });
const admin = createClient<Administration>({ baseUrl: \`\${baseUrl}/admin\`, ...as(account?.admin_token ?? '') });
await admin.PUT('/segments/{name}', { params: { path: { name: 'Gold' } }, body: { priority: 7 } });
await admin.PUT('/customers/{reference}', {
  params: { path: { reference: '7' } },
  body: { name: 'Ann', segment: 'Gold', numbers: ['+31208884321'] },
});
const { data: integration } = await admin.POST('/integrations', { body: { name: 'Office' } });
const { error, response } = await admin.GET('/users/{uid}', { params: { path: { uid: 'nobody' } } });
const calls = createClient<Calls>({ baseUrl: \`\${baseUrl}/api/v1\`, ...as(integration?.token ?? '') });
const { data: start } = await admin.GET('/events', {});
await calls.POST('/voice/call', { body: { id: 'c', direction: 'inbound', status: 'ringing', from: '020 8884321' } });
const after = start?.cursor ?? '';
const { data: news } = await admin.GET('/events', { params: { query: { after, wait: 30 } } });
const query = { updated_since: '2020-01-01T00:00:00Z', outcome: 'open', limit: 10 } as const;
const { data: page } = await admin.GET('/calls', { params: { query } });
console.log(news?.events[0]?.type, page?.data[0]?.customer?.name, page?.next);
const { data: found } = await calls.GET('/voice/priority', { params: { query: { number: '020 8884321' } } });
console.log(found?.priority, found?.segment, found?.name, response.status, error?.message);
`;

/** A mistake that the types must find. */
const mistake = `
import createClient from 'openapi-fetch';
import type { paths } from './admin.d.ts';

await createClient<paths>().PUT('/segments/{name}', { params: { path: { name: 'Gold' } }, body: { priority: 'high' } });
`;

test('clients that others generate from the documents compile, and do what they say', async (t) => {
  const { url, stateDir, ask } = await serve(t);
  const folder = temporaryFolder(t);
  const inFolder = (...args: string[]) =>
    run('sh', ['-c', 'cd "$0" && exec "$@"', folder, ...args], longestTestMs);
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const installed = await inFolder(
    'npm',
    'install',
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
    ...packages,
  );
  assert.equal(installed.code, 0, installed.output);
  for (const [name, path] of [
    ['api', '/openapi.json'],
    ['admin', '/admin/openapi.json'],
  ]) {
    writeFileSync(join(folder, `${name}.json`), (await ask(`${url}${path}`)).text);
    const made = await inFolder('node_modules/.bin/openapi-typescript', `${name}.json`, '-o', `${name}.d.ts`);
    assert.equal(made.code, 0, made.output);
  }
  writeFileSync(join(folder, 'client.ts'), client);
  writeFileSync(join(folder, 'mistake.ts'), mistake);
  writeFileSync(join(folder, 'node.d.ts'), 'declare const process: { argv: string[] };');
  const compiled = (file: string) =>
    inFolder(
      'node_modules/.bin/tsc',
      '--strict',
      '--noUncheckedSideEffectImports',
      '--target',
      'es2024',
      '--module',
      'nodenext',
      '--allowImportingTsExtensions',
      '--noEmit',
      file,
      'node.d.ts',
    );
  const result = await compiled('client.ts');
  assert.equal(result.code, 0, result.output);
  assert.match((await compiled('mistake.ts')).output, /Type 'string' is not assignable to type 'number'/);

  const operator = createKeys(serverSecret(stateDir)).operatorToken(0);
  const ran = await inFolder(process.execPath, 'client.ts', url, operator);
  assert.equal(ran.output.trim(), 'call.ringing Ann null\n7 Gold Ann 404 There is no such user.');
});
