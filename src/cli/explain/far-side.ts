import type { ApiClient } from '../../api/client.ts';
import { apiErrorKinds } from '../../api/result.ts';
import { entriesOf } from '../check/api.ts';
import { clockTime } from '../words.ts';

/** One request about a call that the far side has in its history. Fields that it does not tell are left out. */
export type FarSideEntry = {
  /** The status that was told. */
  readonly told: string;
  /** Unix ms. */
  readonly at?: number;
  /** What it answered. */
  readonly httpStatus?: number;
  readonly durationMs?: number;
};

/** The far side's request history, as far as calls go. */
export type FarSide = {
  /** What it has of a call, oldest first; or one line that says why that is not known. */
  entriesOf(callId: string): Promise<FarSideEntry[] | string>;
};

const most = 50;

export function createFarSide(client: Pick<ApiClient, 'history'>): FarSide {
  return {
    async entriesOf(callId) {
      const result = await client.history({ searchTerm: callId, limit: most });
      if (result.kind === 'failed') return `not known: ${apiErrorKinds[result.error]}`;
      const entries = entriesOf(result.body);
      if (result.status !== 200 || entries === undefined) return `not known: HTTP ${result.status}`;
      return entries.flatMap((entry) => read(entry, callId) ?? []).reverse();
    },
  };
}

/** The document names only `created_at`; how other fields are called is looked up where our own service has them. */
function read(entry: unknown, callId: string): FarSideEntry | undefined {
  if (typeof entry !== 'object' || entry === null) return undefined;
  const { request, payload, created_at, status, duration } = entry as Record<string, unknown>;
  const sent = fieldsOf(request ?? payload);
  // A search finds the id in whatever was sent: also in another call's, of which it is the beginning.
  if (sent.id !== callId) return undefined;
  const at = typeof created_at === 'string' ? Date.parse(created_at) : Number.NaN;
  return {
    told: String(sent.status ?? '?'),
    ...(Number.isNaN(at) ? {} : { at }),
    ...(typeof status === 'number' && { httpStatus: status }),
    ...(typeof duration === 'number' && { durationMs: duration }),
  };
}

/** The payload as received: an object, its JSON, or for GET a query string. */
function fieldsOf(request: unknown): Record<string, unknown> {
  if (typeof request === 'object' && request !== null) return request as Record<string, unknown>;
  if (typeof request !== 'string') return {};
  try {
    return (JSON.parse(request) ?? {}) as Record<string, unknown>;
  } catch {
    return Object.fromEntries(new URLSearchParams(request));
  }
}

export function farSideText(entries: readonly FarSideEntry[] | string, now: number): string {
  if (typeof entries === 'string') return entries;
  if (entries.length === 0) return 'its history has nothing of this call';
  return entries
    .map(({ told, at, httpStatus }) => {
      const when = at === undefined ? '' : ` at ${clockTime(at, now)}`;
      return `${told}${when}${httpStatus === undefined ? '' : ` (${httpStatus})`}`;
    })
    .join(', ');
}
