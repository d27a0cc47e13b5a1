import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ServiceDirectory } from '../accounts/directory.ts';
import type { AccountTurns } from '../kit/account-turns.ts';
import { Refusal } from '../kit/refusal.ts';
import type { Customer } from './customer-fields.ts';
import type { CustomerStore } from './customer-store.ts';
import { phoneBook, phoneBookFormats } from './phone-book.ts';

/** More than any desk phone holds. */
export const MOST_ENTRIES = 5_000;

type Parts = {
  readonly directory: ServiceDirectory;
  readonly turns: AccountTurns;
  readonly store: { readonly customers: CustomerStore };
};

type Asked = {
  readonly Params: { readonly token: string; readonly file: string };
  readonly Querystring: { readonly plus?: string; readonly segment?: string };
};

/**
 * The customers as a phone book, for desk phones. The address holds the token: phones of several makers know no other way
 * to sign in. Customers whose calls are blocked are not in it.
 */
export function phoneBookRoute(app: FastifyInstance, parts: Parts): void {
  app.get<Asked>('/phonebook/:token/:file', async (request, reply) => {
    const account = accountOf(request, parts);
    const of = { turn: 'read', account: account.id, client: 'phone book' } as const;
    return parts.turns.run(of, reply, {
      who: account.id,
      admit: () => parts.directory.phoneBookAccount(request.params.token)?.id,
      refuse: () => Promise.reject(notThere()),
      work: (id) => sendPhoneBook(id, request, reply, parts),
    });
  });
}

const notThere = () => new Refusal(404, (words) => words.notThere);

function accountOf({ params }: FastifyRequest<Asked>, { directory }: Parts) {
  const account = directory.phoneBookAccount(params.token);
  if (account === undefined) throw notThere();
  return account;
}

async function sendPhoneBook(
  account: number,
  { params, query }: FastifyRequest<Asked>,
  reply: FastifyReply,
  { store }: Parts,
): Promise<FastifyReply> {
  const format = phoneBookFormats.find(({ file }) => file === params.file);
  const { plus = '+', segment } = query;
  if (format === undefined || !/^[+\d*#]{0,8}$/.test(plus)) throw notThere();
  // Phones keep what they have, where an empty book would take it from them.
  if (segment !== undefined && !(await store.customers.segment(account, segment))) throw notThere();
  const customers: Customer[] = [];
  for await (const some of store.customers.all(account)) {
    const wanted = some.filter(
      (one) => one.blocked === '' && (segment === undefined || one.segment === segment),
    );
    customers.push(...wanted);
    if (customers.length >= MOST_ENTRIES) break;
  }
  const book = await phoneBook(format, customers.slice(0, MOST_ENTRIES), plus);
  return reply.type('text/xml; charset=utf-8').send(book);
}
