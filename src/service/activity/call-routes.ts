import { randomFillSync } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CallEvent } from '../../shared/api/contract/call-event.ts';
import type { CallExtras as SentExtras } from '../../shared/api/contract/call-extras.ts';
import { routes } from '../../shared/api/contract/routes.ts';
import { normaliseNumber } from '../../shared/phone-number/normalise-number.ts';
import type { CallExtras, PastTimes } from '../calls/call-record.ts';
import type { Responder } from '../history/responder.ts';
import type { ZodInstance } from '../kit/administration.ts';
import { numberField } from '../kit/number-field.ts';

/** Part 4.1: a call event, by POST or by URL. */
export function callRoutes(app: ZodInstance, responder: Responder): void {
  function take(event: CallEvent, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const from = event.from as string; // the schema requires it: inbound is the only direction
    const country = request.sender?.account.country ?? null;
    return responder.respond(request, reply, {
      status: 200,
      text: `{"result":"${randomResult()}"}`,
      event: {
        id: event.id,
        status: event.status,
        from,
        number: numberField('from', from, country),
        callerId: event.caller_id ?? null,
        ...(event.extras && { extras: extrasOf(event.extras, country) }),
        ...(event.status === 'completed' && { past: pastOf(event.extras, request.receivedAt) }),
        rang: event.extras?.rang,
        talked: event.extras?.talked,
      },
    });
  }

  const { postCall, getCall } = routes;
  app.post(postCall.path, { schema: postCall.schema }, (request, reply) =>
    take(request.body, request, reply),
  );
  // A HEAD must not post an event.
  app.get(getCall.path, { schema: getCall.schema, exposeHeadRoute: false }, (request, reply) =>
    take(request.query, request, reply),
  );
}

/** The extras of an event as a call keeps them; `country` is the one that its numbers are read in. */
function extrasOf({ number_called, line, at, missed }: SentExtras, country: string | null): CallExtras {
  return {
    numberCalled:
      number_called === undefined ? null : normaliseNumber(number_called, country) || number_called,
    line: line ?? null,
    missed:
      missed === undefined
        ? null
        : {
            where: missed.where ?? null,
            name: missed.name ?? null,
            by: missed.by ?? null,
            after: missed.after ?? null,
            at: at === undefined ? null : Date.parse(at),
          },
  };
}

/** When a call of the past began and ended, by the PBX's records; no later than now, if its clock is ahead. */
function pastOf({ at, past }: SentExtras = {}, now: number): PastTimes | undefined {
  if (past === undefined) return undefined;
  const began = Math.min(Date.parse(past.began), now);
  return { began, ended: Math.min(Math.max(Date.parse(at ?? past.began), began), now) };
}

const letters = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789');
const LENGTH = 48;

/** Random bytes, read from the system in bulk; each is used once. */
const pool = Buffer.alloc(16_384);
let used = pool.length;

/** `result` of a call event's reply: 48 random letters and digits of the system's generator (API parts 2 and 8). */
function randomResult(): string {
  const text = Buffer.allocUnsafe(LENGTH);
  for (let filled = 0; filled < LENGTH; ) {
    if (used === pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    const letter = letters[(pool[used] as number) & 63];
    used += 1;
    // The two of 64 values beyond the alphabet are skipped, so that every character is equally likely.
    if (letter === undefined) continue;
    text[filled] = letter;
    filled += 1;
  }
  return text.toString('latin1');
}
