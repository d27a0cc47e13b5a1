import { parseJson } from '../process/parse-json.ts';

/** One recorded request about a call, from the far side's history. Fields that it does not tell are left out. */
export type HistoryEntry = {
  readonly callId: string;
  /** The status that was told. */
  readonly told: string;
  /** Unix ms. */
  readonly at?: number;
  /** What it answered. */
  readonly httpStatus?: number;
  readonly durationMs?: number;
};

export type HistoryPage = {
  /** As they came, whatever they are. */
  readonly entries: readonly unknown[];
  /** True if the page says that there is more after it. Its links and meta are not documented: those of Laravel count. */
  readonly more: boolean;
};

/** A page of the request history (API part 4.3, with a limit), or undefined if it is none. */
export function historyPage(body: string): HistoryPage | undefined {
  const { data, links, meta } = objectOf(parseJson(body));
  if (!Array.isArray(data)) return undefined;
  const { next } = objectOf(links);
  const { current_page: current, last_page: last, to, total } = objectOf(meta);
  const more = typeof next === 'string' || isLess(current, last) || isLess(to, total);
  return { entries: data, more };
}

/** What an entry says of a call; undefined if it is about none. */
export function historyEntry(entry: unknown): HistoryEntry | undefined {
  // The document names only `created_at`; how other fields are called is looked up where our own service has them.
  const { request, payload, created_at, status, duration } = objectOf(entry);
  const sent = fieldsOf(request ?? payload);
  if (typeof sent.id !== 'string') return undefined;
  const at = typeof created_at === 'string' ? Date.parse(created_at) : Number.NaN;
  return {
    callId: sent.id,
    told: String(sent.status ?? '?'),
    ...(Number.isNaN(at) ? {} : { at }),
    ...(typeof status === 'number' && { httpStatus: status }),
    ...(typeof duration === 'number' && { durationMs: duration }),
  };
}

/** The payload as received: an object, its JSON, or for GET a query string. */
function fieldsOf(request: unknown): Readonly<Record<string, unknown>> {
  if (typeof request !== 'string') return objectOf(request);
  try {
    return objectOf(JSON.parse(request));
  } catch {
    return Object.fromEntries(new URLSearchParams(request));
  }
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function isLess(a: unknown, b: unknown): boolean {
  return typeof a === 'number' && typeof b === 'number' && a < b;
}
