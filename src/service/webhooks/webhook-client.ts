import { isIP } from 'node:net';
import type { Readable } from 'node:stream';
import { Agent, buildConnector } from 'undici';
import { type ApiResult, errorKind } from '../../shared/api/result.ts';
import { trustSystemAuthorities } from '../../shared/process/authorities.ts';
import { monotonicMs } from '../../shared/process/clock.ts';
import { lookupOf, notReachable, reachable } from './reachable.ts';

export type WebhookClient = ReturnType<typeof createWebhookClient>;

const CONNECT_MS = 5_000;
/** From the request to the answer's status. */
const ANSWER_MS = 15_000;
/** How long the body of an answer is received. */
const BODY_MS = 1_000;
/** Of an answer; some receivers set many cookies. */
const HEADER_BYTES = 256 * 1024;
/** What is read of an answer. */
const ANSWER_BYTES = 4_096;

/** `networks`: private networks that webhooks may be sent to. No proxy is used. */
export function createWebhookClient(networks: readonly string[], answerMs = ANSWER_MS) {
  trustSystemAuthorities();
  const mayReach = reachable(networks);
  const connect = buildConnector({ timeout: CONNECT_MS, lookup: lookupOf(mayReach, networks.length > 0) });
  const agent = new Agent({
    // An address in the URL is connected to without a lookup.
    connect: (options, done) => {
      const host = options.hostname.replace(/^\[|\]$/g, '');
      if (isIP(host) !== 0 && !mayReach(host)) done(notReachable(), null);
      else connect(options, done);
    },
    keepAliveTimeout: 30_000,
    maxHeaderSize: HEADER_BYTES,
  });

  return {
    /** Posts a body, JSON unless the headers say otherwise, without following redirects. Never rejects. */
    async post(
      url: string,
      headers: Readonly<Record<string, string>>,
      body: string | Buffer,
    ): Promise<ApiResult> {
      const began = monotonicMs();
      const durationMs = () => monotonicMs() - began;
      try {
        const { origin, pathname, search } = new URL(url);
        const signal = AbortSignal.timeout(answerMs);
        const answer = await agent.request({
          origin,
          path: `${pathname}${search}`,
          method: 'POST',
          signal,
          body,
          headers: { 'content-type': 'application/json', 'user-agent': 'pbx-bridge', ...headers },
        });
        const header = (name: string) => {
          const value = answer.headers[name];
          return Array.isArray(value) ? value[0] : value;
        };
        const retryAfter = header('retry-after');
        const text = await start(answer.body);
        return {
          kind: 'answer',
          status: answer.statusCode,
          contentType: header('content-type') ?? '',
          ...text,
          ...(retryAfter !== undefined && { retryAfter }),
          durationMs: durationMs(),
        };
      } catch (error) {
        const { name, message, code } = error as NodeJS.ErrnoException;
        return name === 'TimeoutError'
          ? {
              kind: 'failed',
              error: 'timeout-headers',
              detail: `${answerMs / 1000} s`,
              durationMs: durationMs(),
            }
          : {
              kind: 'failed',
              error: errorKind(error),
              detail: message || (code ?? ''),
              durationMs: durationMs(),
            };
      }
    },
    close: (): Promise<void> => agent.destroy(),
  };
}

/**
 * The start of an answer's body; the rest is not received. The status has come: a body that breaks off or stays open
 * changes nothing of it.
 */
async function start(answer: Readable): Promise<{ body: string; truncated: boolean }> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let complete = false;
  const late = setTimeout(() => answer.destroy(), BODY_MS);
  try {
    for await (const chunk of answer) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > ANSWER_BYTES) break;
    }
    complete = bytes <= ANSWER_BYTES;
  } catch {
    // The connection ended within the body, or the time is up.
  } finally {
    clearTimeout(late);
  }
  const body = Buffer.concat(chunks).subarray(0, ANSWER_BYTES).toString();
  return { body, truncated: !complete };
}
