import { parseJson } from '../../../shared/process/parse-json.ts';

/** Whether a body is of this call and status: a flipped bit in either of the two copies shows. */
export function isBodyOf(body: string, callId: string, status: string): boolean {
  const event = (parseJson(body) ?? {}) as Readonly<Record<string, unknown>>;
  return event.id === callId && event.status === status;
}
