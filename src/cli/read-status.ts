import { get } from 'node:http';
import type { BridgeStatus } from '../bridge/status/bridge-status.ts';
import { parseJson } from '../shared/process/parse-json.ts';
import { callsSection } from './config/calls-section.ts';
import { loadConfig } from './config/env.ts';
import { outboxSection, statusSection } from './config/outbox-section.ts';
import type { Environment } from './config/variable.ts';
import { unitOf, whyNotRunning } from './unit-state.ts';

export type StatusResult =
  | { readonly ok: true; readonly status: BridgeStatus }
  | { readonly ok: false; readonly why: string; readonly isRefused?: boolean };

const deadlineMs = 5_000;
const maxBytes = 1 << 20;

/** The address of the status server of a bridge with this STATUS_LISTEN. Throws if it is off or the port is 0. */
export function statusUrl(listen: { host: string; port: number } | undefined): string {
  if (listen === undefined) throw new Error('STATUS_LISTEN is off, so the bridge has no status server');
  if (listen.port === 0)
    throw new Error('STATUS_LISTEN has port 0: give --url with the address from the log of the bridge');
  const host = /^(0\.0\.0\.0|::)$/.test(listen.host) ? '127.0.0.1' : listen.host;
  return `http://${host.includes(':') ? `[${host}]` : host}:${listen.port}`;
}

/** The same by the settings. */
export function statusUrlOf(environment: Environment): string {
  return statusUrl(loadConfig({ status: statusSection }, environment).status);
}

/**
 * The status of the bridge with these settings, and not of another one that has its port.
 * @param file where they are, which says whether a unit runs it.
 */
export async function readOwnStatus(
  environment: Environment,
  file: string | undefined = environment.ENV_FILE,
): Promise<StatusResult> {
  const url = statusUrlOf(environment);
  const found = await readStatus(url);
  if (!found.ok && found.isRefused)
    return { ok: false, why: `${whyNotRunning(environment, unitOf(file))} (connection refused at ${url})` };
  if (!found.ok) return found;
  const { pbxId: own } = loadConfig({ calls: callsSection }, { PBX_ID: environment.PBX_ID }).calls;
  const { STATE_DIR, STATE_DIRECTORY } = environment;
  const { stateDir } = loadConfig({ outbox: outboxSection }, { STATE_DIR, STATE_DIRECTORY }).outbox;
  const { pbxId, pid } = found.status;
  const { runningBridge } = await import('../bridge/outbox/tables/database.ts');
  const running = runningBridge(stateDir);
  if (isOwn(found.status, own, running)) return found;
  const other =
    pbxId === own ? ` and process ${pid}: this one, process ${running},` : `: this one, with ${own},`;
  const why = `at ${url} is another bridge, with PBX_ID=${pbxId}${other} has no status there; give it a STATUS_LISTEN of its own`;
  return { ok: false, why };
}

/**
 * Whether this is the status of the bridge with this PBX_ID.
 * @param running the process that works on its state folder; undefined if the folder cannot be read.
 */
export const isOwn = ({ pbxId, pid }: BridgeStatus, own: string, running: number | undefined): boolean =>
  pbxId === own && (pid === undefined || running === undefined || pid === running);

/** Reads the status of a running bridge. Never rejects. */
export function readStatus(url: string): Promise<StatusResult> {
  const failed = (why: string): StatusResult => ({ ok: false, why });
  return new Promise((resolve) => {
    const request = get(new URL('/status.json', url), { timeout: deadlineMs }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
        if (text.length > maxBytes) request.destroy(new Error('the response is too long'));
      });
      response.on('end', () => resolve(parse(text) ?? failed(`the program at ${url} is not pbx-bridge`)));
    });
    request.on('timeout', () => request.destroy(new Error(`no answer within ${deadlineMs / 1000} s`)));
    request.on('error', (error: NodeJS.ErrnoException) => {
      const isRefused = error.code === 'ECONNREFUSED';
      const why = isRefused
        ? `nothing answers at ${url} (connection refused)`
        : `no status from ${url}: ${error.message}`;
      resolve({ ok: false, why, isRefused });
    });
  });
}

function parse(text: string): StatusResult | undefined {
  const status = parseJson(text) as BridgeStatus | null | undefined;
  return typeof status?.pbxId === 'string' ? { ok: true, status } : undefined;
}
