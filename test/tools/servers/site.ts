import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createKeys, serverSecret } from '../../../src/service/accounts/keys.ts';
import { openStore } from '../../../src/service/database/open-store.ts';
import type { CallStatus } from '../../../src/shared/api/contract/call-status.ts';
import { atExit } from '../lab/at-exit.ts';
import { stateFolder } from '../service/harness.ts';
import { bearer, screenEvents } from '../service/stream.ts';
import { until } from '../until.ts';
import { startNginx } from './nginx.ts';
import { addCustomers } from './replay.ts';

/** A service that is a process of its own. */
export type ServiceProcess = {
  readonly url: string;
  readonly process: ChildProcess;
  stop(): Promise<void>;
};

const script = fileURLToPath(new URL('../service/process.ts', import.meta.url));

/** Starts a service on a state folder (for the secret) and a database; `listenUrl` as DATABASE_LISTEN_URL. */
export async function startProcess(
  stateDir: string,
  databaseUrl: string,
  listenUrl?: string,
): Promise<ServiceProcess> {
  const child = fork(script, [stateDir, databaseUrl, ...(listenUrl === undefined ? [] : [listenUrl])]);
  const forget = atExit(() => child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  const said = await Promise.race([once(child, 'message'), ended.then(() => undefined)]);
  if (said === undefined) throw new Error(`the service ended with ${child.exitCode} instead of starting`);
  return {
    url: said[0] as string,
    process: child,
    async stop() {
      forget();
      if (child.connected) child.disconnect();
      const slow = setTimeout(() => child.kill('SIGKILL'), 15_000);
      await ended;
      clearTimeout(slow);
    },
  };
}

/** The store of a site, opened by the test beside the processes. */
export const storeOf = (stateDir: string, url: string) =>
  openStore(
    { stateDir, database: { url, listenUrl: undefined, connections: 4 }, retention: {} },
    createKeys(serverSecret(stateDir)),
  );

/** Processes on one database and one secret, behind nginx; stopped after the test. */
export async function startSite(t: TestContext, database: string, processes: number, listenUrl?: string) {
  const stateDir = stateFolder(t);
  const keys = createKeys(serverSecret(stateDir));
  const services = await Promise.all(
    Array.from({ length: processes }, () => startProcess(stateDir, database, listenUrl)),
  );
  const nginx = await startNginx(services.map(({ url }) => url));
  const store = await storeOf(stateDir, database);
  t.after(async () => {
    await store.close();
    await nginx.stop();
    await Promise.all(services.map((service) => service.stop()));
  });
  await addCustomers(store);
  const [integration] = (await store.directory.read(0))?.directory.integrations ?? [];
  assert.ok(integration);
  return {
    stateDir,
    services,
    url: nginx.url,
    token: keys.integrationToken(integration),
    store,
  };
}

/** A screen of one process; `saw` waits until it has seen how far each of the calls is. */
export function watch(t: TestContext, url: string, token: string) {
  const seen = new Map<string, CallStatus[]>();
  const { promise: open, resolve } = Promise.withResolvers<void>();
  const stream = screenEvents(url, bearer(token));
  const listening = (async () => {
    for await (const heard of stream) {
      if (heard.event === 'calls') resolve();
      else if (heard.event === 'call')
        seen.set(heard.call.id, [...(seen.get(heard.call.id) ?? []), heard.call.status as CallStatus]);
    }
  })();
  t.after(() => listening);
  const saw = (calls: readonly { id: string; status: CallStatus }[]) => {
    const unseen = () => calls.filter(({ id, status }) => seen.get(id)?.at(-1) !== status);
    return until('a screen to see how far each call is', () => unseen().length === 0, { state: unseen });
  };
  return { seen, open, saw, ended: listening };
}
