import { queryEntries } from '../api/contract/fields.ts';
import { parseJson } from '../process/parse-json.ts';

/** One recorded request about a call, from the API's history. Fields that it does not have are left out. */
export type HistoryEntry = {
  readonly callId: string;
  /** The call's, as it was reported. */
  readonly status: string;
  /** Unix ms. */
  readonly at?: number;
  /** What it answered. */
  readonly httpStatus?: number;
  readonly durationMs?: number;
};

export type HistoryPage = {
  /** As they came, not validated. */
  readonly entries: readonly unknown[];
  /** The query of the link to the next page; undefined if there is none. Links are not documented: those of Laravel count. */
  readonly next: string | undefined;
};

/** A page of the request history (API part 4.3, with a limit), or undefined if it is none. */
export function historyPage(body: string): HistoryPage | undefined {
  const { data, links } = objectOf(parseJson(body));
  if (!Array.isArray(data)) return undefined;
  const { next } = objectOf(links);
  return { entries: data, next: typeof next === 'string' ? URL.parse(next, 'http://x')?.search : undefined };
}

/** What an entry says of a call; undefined if it is about none. */
export function historyEntry(entry: unknown): HistoryEntry | undefined {
  // The document names only `created_at`: other fields are named as our own service names them.
  const { request, payload, created_at, status, duration } = objectOf(entry);
  const sent = fieldsOf(request ?? payload);
  if (typeof sent.id !== 'string') return undefined;
  const at = typeof created_at === 'string' ? Date.parse(created_at) : Number.NaN;
  return {
    callId: sent.id,
    status: String(sent.status ?? '?'),
    ...(Number.isNaN(at) ? {} : { at }),
    ...(typeof status === 'number' && { httpStatus: status }),
    ...(typeof duration === 'number' && { durationMs: duration }),
  };
}

/** The payload as received: an object, its JSON, or for GET a query string. */
function fieldsOf(request: unknown): Readonly<Record<string, unknown>> {
  if (typeof request !== 'string') return objectOf(request);
  return objectOf(parseJson(request) ?? Object.fromEntries(queryEntries(request)));
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
