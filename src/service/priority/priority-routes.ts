import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PriorityResult } from '../../shared/api/contract/phone-number.ts';
import { routes } from '../../shared/api/contract/routes.ts';
import type { Extensions } from '../accounts/account.ts';
import type { Sender } from '../accounts/directory-copy.ts';
import { isDialable } from '../calls/call-cells.ts';
import type { Responder } from '../history/responder.ts';
import type { ZodInstance } from '../kit/administration.ts';
import { numberField } from '../kit/number-field.ts';
import { promisedBy } from '../people/call-backs.ts';
import type { CustomerStore } from '../people/customer-store.ts';
import { LISTED_MS } from '../people/missed-people.ts';
import type { WhoCalls } from '../people/who-calls-store.ts';

type Parts = {
  readonly store: {
    readonly customers: Pick<CustomerStore, 'whoCalls' | 'promises'>;
  };
  readonly directory: { extensions(account: number): Extensions };
  /** For metrics. */
  readonly meter: { readonly counts: { readonly lookups: Record<'found' | 'not_found', number> } };
  readonly clock: () => number;
};

/** Part 4.2: the priority of the segment of the customer with a number, and what else the office knows of the caller. */
export function priorityRoutes(app: ZodInstance, responder: Responder, parts: Parts): void {
  async function lookUp(text: string, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { account } = request.sender as Sender;
    const number = numberField('number', text, account.country);
    const result = await callerOf(account.id, number, parts);
    parts.meter.counts.lookups[result.name === null ? 'not_found' : 'found'] += 1;
    return responder.respond(request, reply, { status: 200, text: JSON.stringify(result) });
  }

  const { getPriority, postPriority } = routes;
  app.get(getPriority.path, { schema: getPriority.schema }, (request, reply) =>
    lookUp(request.query.number, request, reply),
  );
  app.post(postPriority.path, { schema: postPriority.schema }, (request, reply) =>
    lookUp(request.body.number, request, reply),
  );
}

async function callerOf(account: number, number: string, parts: Parts): Promise<PriorityResult> {
  const { store, directory, clock } = parts;
  const caller = await store.customers.whoCalls(account, number, clock() - LISTED_MS);
  // What stands for a withheld number is many callers.
  const isOne = isDialable(number);
  const taker = isOne && caller.mayBeTaken ? await takerOf(account, number, caller, parts) : undefined;
  return {
    priority: caller.priority,
    segment: caller.segment,
    name: caller.name,
    language: caller.language || null,
    blocked: caller.blocked === 'yes',
    last_extension: isOne ? caller.lastExtension : null,
    last_answered_at: isOne ? caller.lastAnsweredAt : null,
    callback_extension: (taker && firstExtension(directory.extensions(account), taker)) ?? null,
  };
}

/** The user who calls the person with this number back, as under Call back: unless the caller got through since. */
async function takerOf(
  account: number,
  number: string,
  { lastAnsweredAt }: WhoCalls,
  { store, clock }: Parts,
): Promise<string | undefined> {
  const { actions, missedAt } = await store.customers.promises(account, number, clock() - LISTED_MS);
  return missedAt > (lastAnsweredAt ?? 0) ? promisedBy(actions) : undefined;
}

const firstExtension = (extensions: Extensions, user: string): string | undefined =>
  [...extensions.values()].find(({ userName }) => userName === user)?.extension;
