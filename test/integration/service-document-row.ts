import assert from 'node:assert/strict';
import type { z } from 'zod';
import { callEventReplySchema } from '../../src/shared/api/contract/call-event.ts';
import type { DecisionKey } from '../../src/shared/api/contract/decisions.ts';
import { errorSchema, validationErrorSchema } from '../../src/shared/api/contract/errors.ts';
import { type Answer, event, type Served } from '../tools/service/harness.ts';
import { openCalls, type ScreenCall } from '../tools/service/stream.ts';

/**
 * The Call Integration API's document, sentence by sentence, over HTTP. Each row names the part it proves; rows with
 * a decision prove what the contract decides where the document leaves it open.
 */
type Context = Served & {
  /** Of a call that no other row has. */
  readonly id: string;
  /** Sends an event of account A, which is accepted. */
  send(fields: Record<string, unknown>): Promise<void>;
  /** Sends one that is refused for these fields. */
  refuse(fields: Record<string, unknown>, ...names: string[]): Promise<void>;
  /** The call as the screens of account A see it; undefined if it is over or unknown. */
  shown(id: string): Promise<ScreenCall | undefined>;
};

export type Row = {
  readonly name: string;
  readonly decision: DecisionKey | '';
  proof(service: Served): Promise<void>;
};

export const row = (
  part: string,
  says: string,
  decision: DecisionKey | '',
  proof: (context: Context) => Promise<void>,
): Row => ({
  name: `part ${part}: ${says}${decision && ` [${decision}]`}`,
  decision,
  proof: (service) => {
    const { a, post, url } = service;
    return proof({
      ...service,
      id: freshId(),
      send: async (fields) => accepted(await post(a.token, event(fields))),
      refuse: async (fields, ...names) => refused(await post(a.token, event(fields)), ...names),
      shown: async (id) => (await openCalls(url, a.token)).find((call) => call.id === id),
    });
  },
});

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
