import { parseJson } from '../../process/parse-json.ts';

/** Whether a body is of this call and this status: what is written twice shows a flipped bit in either. */
export function isBodyOf(body: string, callId: string, status: string): boolean {
  const event = (parseJson(body) ?? {}) as Readonly<Record<string, unknown>>;
  return event.id === callId && event.status === status;
}
