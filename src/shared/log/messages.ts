import { agiMessages } from './messages/agi-messages.ts';
import { alertMessages } from './messages/alert-messages.ts';
import { amiMessages } from './messages/ami-messages.ts';
import { callsMessages } from './messages/calls-messages.ts';
import { deliveryMessages, outboxMessages } from './messages/delivery-messages.ts';
import { programMessages } from './messages/program-messages.ts';
import { serviceMessages } from './messages/service-messages.ts';

export type { Message } from './messages/program-messages.ts';

/** Every message that the programs log, by its code. `config/messages.md` is generated from it. */
export const messages = {
  ...programMessages,
  ...callsMessages,
  ...amiMessages,
  ...deliveryMessages,
  ...outboxMessages,
  ...agiMessages,
  ...serviceMessages,
  ...alertMessages,
};

export type MessageCode = keyof typeof messages;

/** `{name}` in a message's text is the field of that name. */
export function fill(text: string, fields: Readonly<Record<string, unknown>>): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = fields[name];
    return value === undefined ? '?' : typeof value === 'object' ? JSON.stringify(value) : String(value);
  });
}
