import { get } from 'node:http';
import type { BridgeStatus } from '../status/bridge-status.ts';

export type StatusFound =
  | { readonly ok: true; readonly status: BridgeStatus }
  | { readonly ok: false; readonly why: string };

const deadlineMs = 5_000;
const mostBytes = 1 << 20;

/** Where a bridge with this STATUS_LISTEN shows its status. */
export function statusUrl(listen: { host: string; port: number } | undefined): string {
  if (listen === undefined) throw new Error('STATUS_LISTEN is off: the bridge shows its status to nobody');
  if (listen.port === 0)
    throw new Error('STATUS_LISTEN has port 0: give --url, the log of the bridge names it');
  const host = /^(0\.0\.0\.0|::)$/.test(listen.host) ? '127.0.0.1' : listen.host;
  return `http://${host.includes(':') ? `[${host}]` : host}:${listen.port}`;
}

/** Asks a bridge of this machine how it is doing. */
export function readStatus(url: string): Promise<StatusFound> {
  const no = (why: string): StatusFound => ({ ok: false, why });
  return new Promise((resolve) => {
    const request = get(new URL('/status.json', url), { timeout: deadlineMs }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
        if (text.length > mostBytes) request.destroy(new Error('the answer is too long'));
      });
      response.on('end', () => resolve(parse(text) ?? no(`what answers at ${url} is no pbx-bridge`)));
    });
    request.on('timeout', () => request.destroy(new Error(`no answer within ${deadlineMs / 1000} s`)));
    request.on('error', (error: NodeJS.ErrnoException) =>
      resolve(
        no(
          error.code === 'ECONNREFUSED'
            ? `the bridge is not running (nothing answers at ${url}); pbx-bridge run starts it`
            : `no status from ${url}: ${error.message}`,
        ),
      ),
    );
  });
}

function parse(text: string): StatusFound | undefined {
  try {
    const status = JSON.parse(text) as BridgeStatus;
    return typeof status.pbxId === 'string' ? { ok: true, status } : undefined;
  } catch {
    return undefined;
  }
}
