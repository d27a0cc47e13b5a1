import { type ApiClientOptions, createApiClient } from '../../shared/api/client.ts';
import type { Log } from '../../shared/log/log.ts';
import { monotonicClock } from '../../shared/process/clock.ts';
import { type AgiOptions, createAgi, type Permit } from './agi.ts';
import { lookupsAtOnce } from './priority-lookup.ts';

/** Priority lookups for the dialplan; `parameter` is the number's name in the API's query. */
export type LookupOptions = AgiOptions & { readonly parameter: string };

/** Shortest timeout of a lookup, ms: an answer that is late for one call is still good for the next. */
const LOOKUP_MS = 2_000;

export type Lookups = ReturnType<typeof createLookups>;

/** Lookups have connections of their own: they never wait behind call events, and never delay them. */
export function createLookups(
  { parameter, ...options }: LookupOptions,
  {
    api,
    permit,
    log,
  }: {
    api: ApiClientOptions;
    permit: Permit;
    log: Log;
  },
) {
  const timeoutMs = Math.max(LOOKUP_MS, 2 * options.server.deadlineMs);
  const client = createApiClient({
    ...api,
    connections: lookupsAtOnce,
    connectTimeoutMs: timeoutMs,
    answerTimeoutMs: timeoutMs,
  });
  const agi = createAgi(options, {
    request: (number) => client.priority({ parameter, number }),
    permit,
    clock: monotonicClock,
    log,
  });
  let { token } = api;
  return {
    agi,
    /** A new token also clears the cache, which may be of another account. The same token changes nothing. */
    changeToken(next: string) {
      if (next === token) return;
      token = next;
      client.changeToken(token);
      agi.clear();
    },
    async stop() {
      await agi.stop();
      await client.close();
    },
  };
}
