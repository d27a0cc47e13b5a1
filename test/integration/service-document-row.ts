import assert from 'node:assert/strict';
import type { z } from 'zod';
import { callEventReplySchema } from '../../src/api/contract/call-event.ts';
import type { DecisionKey } from '../../src/api/contract/decisions.ts';
import { errorSchema, validationErrorSchema } from '../../src/api/contract/errors.ts';
import type { Answer, Served } from './service-harness.ts';
import { openCalls } from './service-stream.ts';

/**
 * The Call Integration API's document, sentence by sentence, over HTTP. Each row names the part it proves; rows with
 * a decision prove what the contract decides where the document leaves it open.
 */
export type Row = {
  part: string;
  says: string;
  decision?: DecisionKey;
  proof(service: Served): Promise<void>;
};

/** Another call for every row. */
let calls = 0;
export const freshId = () => {
  calls += 1;
  return `row-${calls}`;
};

export function accepted(answer: Answer): void {
  assert.equal(answer.status, 200, answer.text);
  shaped(callEventReplySchema, answer);
}

export function refused(answer: Answer, ...fields: string[]): void {
  assert.equal(answer.status, 422, answer.text);
  shaped(validationErrorSchema, answer);
  assert.deepEqual(Object.keys((answer.json as { errors: object }).errors), fields);
}

export function says(answer: Answer, status: number): void {
  assert.equal(answer.status, status, answer.text);
  shaped(errorSchema, answer);
}

export function shaped(schema: z.ZodType, answer: Answer): void {
  const parsed = schema.safeParse(answer.json);
  assert.ok(parsed.success, `${answer.text}: ${parsed.error}`);
}

/** The call as the account's screens see it; undefined if it is over or unknown. */
export async function openCall({ url }: Served, token: string, id: string) {
  const open = await openCalls(url, token);
  return open.find((call) => call.id === id);
}
