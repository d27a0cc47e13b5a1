import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { cannotInstall, installPackages } from '../debian.ts';
import { until } from '../until.ts';
import { withFont } from './browser.ts';

const firefoxPath = '/usr/bin/firefox-esr';

/** Why no Firefox can be opened here, in one line; undefined if it can. */
export function firefoxImpossible(): string | undefined {
  const why = existsSync(firefoxPath) ? undefined : cannotInstall();
  return why && `no Firefox on this machine: ${why}`;
}

/** A window of a real Firefox. */
export type Firefox = {
  goto(url: string): Promise<void>;
  resize(width: number, height: number): Promise<void>;
  /** The value of an expression in the page: text, a number, true or false. */
  evaluate(expression: string): Promise<unknown>;
  /** Waits until the expression is true in the page, also across pages. */
  waitFor(expression: string): Promise<void>;
  /** Errors and warnings of pages so far, and answers with an error. */
  readonly trouble: readonly string[];
};

/**
 * Debian's Firefox, without a screen, over WebDriver BiDi (https://w3c.github.io/webdriver-bidi). Playwright can drive
 * its own build of Firefox alone.
 */
export async function openFirefox(t: TestContext): Promise<Firefox> {
  await installPackages({ [firefoxPath]: 'firefox-esr' });
  const profile = mkdtempSync(join(tmpdir(), 'pbx-bridge-firefox-'));
  const args = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port=0'];
  const firefox = spawn(firefoxPath, args, { env: await withFont(), stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(firefox, 'exit');
  t.after(async () => {
    firefox.kill();
    await ended;
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  });

  const trouble: string[] = [];
  const send = await connect(await addressOf(firefox), (method, params) => {
    if (method === 'network.responseCompleted' && params.response.status >= 400)
      trouble.push(`${params.response.status} ${params.response.url}`);
    if (method === 'log.entryAdded' && ['error', 'warn'].includes(params.level))
      trouble.push(`${params.level}: ${params.text}`);
  });
  await send('session.new', { capabilities: {} });
  await send('session.subscribe', { events: ['log.entryAdded', 'network.responseCompleted'] });
  const { contexts } = await send('browsingContext.getTree', {});
  const { context } = contexts[0];

  async function evaluate(expression: string): Promise<unknown> {
    const { type, result, exceptionDetails } = await send('script.evaluate', {
      expression,
      target: { context },
      awaitPromise: true,
    });
    if (type !== 'success') throw new Error(`${exceptionDetails.text}, in ${expression}`);
    return result.value;
  }

  return {
    trouble,
    evaluate,
    goto: async (url) => void (await send('browsingContext.navigate', { context, url, wait: 'complete' })),
    resize: async (width, height) =>
      void (await send('browsingContext.setViewport', { context, viewport: { width, height } })),
    waitFor: async (expression) =>
      // While one page goes and the next comes, there is nothing to evaluate in.
      void (await until(expression, () => evaluate(`Boolean(${expression})`).catch(() => false), {
        state: () => trouble,
      })),
  };
}

async function addressOf({ stderr }: ChildProcess): Promise<string> {
  if (stderr === null) throw new Error('Firefox has no stderr');
  for await (const line of createInterface(stderr)) {
    const [, url] = /^WebDriver BiDi listening on (ws:\S+)/.exec(line) ?? [];
    if (url === undefined) continue;
    stderr.resume();
    return url;
  }
  throw new Error('Firefox ended before it listened');
}

// biome-ignore lint/suspicious/noExplicitAny: what Firefox sends is described by the protocol alone
type Params = any;

/** Sends a command, and gives its result. */
type Send = (method: string, params: object) => Promise<Params>;

async function connect(url: string, onEvent: (method: string, params: Params) => void): Promise<Send> {
  const socket = new WebSocket(`${url}/session`);
  await once(socket, 'open');
  const pending = new Map<number, PromiseWithResolvers<Params>>();
  let last = 0;
  socket.addEventListener('message', ({ data }) => {
    const { type, id, method, params, result, error, message } = JSON.parse(data);
    if (type === 'event') return onEvent(method, params);
    if (type === 'error') pending.get(id)?.reject(new Error(`${error}: ${message}`));
    else pending.get(id)?.resolve(result);
    pending.delete(id);
  });
  socket.addEventListener('close', () => {
    for (const { reject } of pending.values()) reject(new Error('Firefox has closed the connection'));
  });
  return (method, params) => {
    const request = Promise.withResolvers<Params>();
    last += 1;
    pending.set(last, request);
    socket.send(JSON.stringify({ id: last, method, params }));
    return request.promise;
  };
}
