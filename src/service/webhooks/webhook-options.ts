import { z } from 'zod';
import type { ServiceDirectory } from '../accounts/directory.ts';
import type { Keys } from '../accounts/keys.ts';
import { createPause } from '../kit/event-loop-pauses.ts';
import { en } from '../words/en.ts';
import type { Words } from '../words/words.ts';
import { type ExampleEvent, exampleOf, examplesOf, lastEventOf } from './event-examples.ts';
import type { EventFilter, Shape, Webhook, WebhookEvent, WebhookOptions } from './webhook.ts';
import { checkHeaders, type Header, HeaderError, sealHeaders } from './webhook-headers.ts';
import { tellingOf, webhookBody } from './webhook-message.ts';
import type { WebhookStore } from './webhook-store.ts';
import { TemplateError } from './webhook-template.ts';

/** Entries of a list of a filter, and characters of each. */
export const maxFilter = 100;
const tooMuch = en.formErrors.filterTooLong(maxFilter);
const entries = z
  .array(z.string().trim().min(1, tooMuch).max(200, tooMuch))
  .max(maxFilter, tooMuch)
  .transform((all) => [...new Set(all)]);
export const filterSchema = z.object({ called: entries, segments: entries, customers: entries });

/** Why options are refused, by the field at fault, in the user's language. */
export class OptionRefused extends Error {
  readonly field: 'template' | 'headers' | 'filter';
  readonly text: (words: Pick<Words, 'formErrors'>) => string;
  constructor(field: OptionRefused['field'], text: OptionRefused['text']) {
    super(field);
    this.field = field;
    this.text = text;
  }
}

/** As somebody gives them. */
export type GivenOptions = {
  readonly shape: Shape | null;
  readonly headers: readonly Header[];
  readonly filter: EventFilter;
};

type Parts = {
  readonly store: { readonly webhooks: Pick<WebhookStore, 'newest'> };
  readonly directory: ServiceDirectory;
  readonly keys: Keys;
};

type Given = Pick<Webhook, 'url' | 'events'> & { readonly options: GivenOptions };

/**
 * The options as they are stored. Their template makes a body of the last real event, and of each event that there can be, as it differs.
 * Stored values of headers, which nobody is shown, do not go to another server.
 * @throws OptionRefused
 */
export async function checkedOptions(
  parts: Parts,
  before: Omit<Webhook, 'id'>,
  { url, events, options: { shape, headers, filter } }: Given,
): Promise<WebhookOptions> {
  const webhook = { ...before, events };
  refuseHeaders(() => checkHeaders(headers));
  const isKept = before.headers !== null && headers.some(({ value }) => value === undefined);
  if (isKept && new URL(url).origin !== new URL(before.url).origin)
    throw new OptionRefused('headers', ({ formErrors }) => formErrors.headersAgain);
  if (shape !== null) {
    const last = await lastEvent(parts, webhook);
    const examples = webhook.events.flatMap(examplesOf);
    const pause = createPause();
    for (const event of last ? [last, ...examples] : examples) {
      bodyOf(parts, webhook, shape, event);
      await pause();
    }
  }
  return { shape, headers: sealHeaders(parts.keys, webhook, headers, webhook.headers), filter };
}

/**
 * The body that a webhook would send of the last real event that it wants, or of an example.
 * @throws OptionRefused
 */
export async function previewOf(
  parts: Parts,
  webhook: Pick<Webhook, 'account' | 'events'>,
  shape: Shape | null,
): Promise<{ readonly isReal: boolean; readonly body: string }> {
  const last = await lastEvent(parts, webhook);
  const event = last ?? exampleOf(webhook.events[0] ?? 'call.missed');
  const body = bodyOf(parts, webhook, shape, event);
  return {
    isReal: last !== undefined,
    body: shape === null ? JSON.stringify(JSON.parse(body), null, 2) : body,
  };
}

async function lastEvent(
  { store }: Parts,
  { account, events }: Pick<Webhook, 'account' | 'events'>,
): Promise<ExampleEvent | undefined> {
  const { calls, person } = await store.webhooks.newest(account);
  const ofCall = lastEventOf(calls, events);
  const ofPerson = person && events.includes(person.event) ? { ...person, call: null } : undefined;
  if (ofCall === undefined || ofPerson === undefined) return ofCall ?? ofPerson;
  return ofPerson.at > ofCall.at ? ofPerson : ofCall;
}

function bodyOf(
  { directory }: Parts,
  { account, events }: { readonly account: number; readonly events: readonly WebhookEvent[] },
  shape: Shape | null,
  event: ExampleEvent,
): string {
  try {
    return webhookBody(event, { shape, events }, tellingOf(directory, account, event.call));
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const why = `${error.message} (${event.event})`;
    throw new OptionRefused('template', ({ formErrors }) => formErrors.template(why));
  }
}

/** @throws OptionRefused */
export function refuseHeaders<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof HeaderError)) throw error;
    const { what, about } = error;
    throw new OptionRefused('headers', ({ formErrors }) =>
      (formErrors[what] as (about: string | number) => string)(about),
    );
  }
}

/** @throws OptionRefused */
export function checkedFilter(filter: EventFilter): EventFilter {
  const read = filterSchema.safeParse(filter);
  if (!read.success)
    throw new OptionRefused('filter', ({ formErrors }) => formErrors.filterTooLong(maxFilter));
  return read.data;
}
