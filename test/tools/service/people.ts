import { createKeys, serverSecret } from '../../../src/service/accounts/keys.ts';
import type { Role, User } from '../../../src/service/accounts/user.ts';
import { type DatabaseSettings, openStore } from '../../../src/service/database/open-store.ts';
import type { Store } from '../../../src/service/database/store.ts';
import { createPasswords } from '../../../src/service/users/password.ts';
import { addUser, createLink } from '../../../src/service/users/users.ts';
import type { Served } from './harness.ts';

/** The password of everybody in the tests. */
export const password = 'a few plain words';

type Place = Pick<Served, 'stateDir'> & { readonly database?: DatabaseSettings };

/** Works on the storage of a running service, as its command line does. */
export async function withStore<T>(
  { stateDir, database = null }: Place,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const keys = createKeys(serverSecret(stateDir));
  const store = await openStore({ stateDir, database, retention: {} }, keys);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Adds a user to the account of this name; gives a one-time link too. They have a password unless `fresh`. */
export async function person(
  served: Place & Pick<Served, 'url'>,
  {
    name,
    account = 'Alpha',
    role = 'agent',
    fresh,
  }: { name: string; account?: string; role?: Role; fresh?: true },
): Promise<{ user: User; link: string }> {
  return withStore(served, async (store) => {
    const { accounts } = (await store.directory.read(0))?.directory ?? { accounts: [] };
    const of = accounts.find((candidate) => candidate.name === account);
    const user = of && (await addUser(store, { account: of, name, role, now: 0 }));
    if (user === undefined) throw new Error(`cannot add ${name} to ${account}`);
    if (!fresh) await store.users.change(user.id, { password: await hashed });
    const keys = createKeys(serverSecret(served.stateDir));
    return { user, link: `${served.url}/sign-in#${await createLink(store, keys, user, Date.now())}` };
  });
}

const hashed = createPasswords().hash(password);

/** What a browser sends with a form of a page at `url`. */
export const form = (
  url: string,
  fields: Record<string, string | readonly string[]>,
  headers: Record<string, string> = {},
) => ({
  method: 'POST',
  body: new URLSearchParams(
    Object.entries(fields).flatMap(([key, value]) => [value].flat().map((one) => [key, one as string])),
  ).toString(),
  headers: { 'content-type': 'application/x-www-form-urlencoded', origin: url, ...headers },
});

/** Signs in by name and password, without a browser; gives its cookie, and what a form must carry. */
export async function visitor(
  { ask, url }: Pick<Served, 'ask' | 'url'>,
  name: string,
): Promise<{ cookie: string; token: string }> {
  const { status, headers } = await ask(`${url}/sign-in`, form(url, { name, password }));
  if (status !== 303) throw new Error(`${name} cannot sign in: ${status}`);
  const cookie = String(headers['set-cookie']).split(';')[0] as string;
  const page = await ask(`${url}/account`, { headers: { cookie } });
  return { cookie, token: /name="token" value="([^"]+)"/.exec(page.text)?.[1] ?? '' };
}

const entities: Readonly<Record<string, string>> = { amp: '&', quot: '"', '#39': "'", lt: '<', gt: '>' };

/** What people read in a piece of HTML, in one line. */
export const textOf = (html: string) =>
  html
    .replace(/<option[\s\S]*?<\/option>|<[^>]*>/g, ' ')
    .replace(/&([\w#]+);/g, (all, name) => entities[name] ?? all)
    .replace(/\s+/g, ' ');

/** A user of the account Alpha, unless another is named, who is added and signs in: what they read, and send. */
export async function browse(
  served: Pick<Served, 'ask' | 'url' | 'stateDir'>,
  name: string,
  { role = 'administrator', account = 'Alpha' }: { role?: Role; account?: string } = {},
) {
  const { ask, url } = served;
  const { user } = await person(served, { name, role, account });
  const { cookie, token } = await visitor(served, name);
  return {
    user,
    cookie,
    token,
    /** A page: `main` is its main part, `plain` the text of that. */
    async read(path: string, headers: Record<string, string> = {}) {
      const answer = await ask(url + path, { headers: { cookie, ...headers } });
      const main = /<main[^>]*>[\s\S]*<\/main>/.exec(answer.text)?.[0] ?? answer.text;
      return { ...answer, main, plain: textOf(main) };
    },
    /** Sends a form of a page. */
    send: (path: string, fields: Parameters<typeof form>[1] = {}, headers: Record<string, string> = {}) =>
      ask(url + path, form(url, { token, ...fields }, { cookie, ...headers })),
  };
}

export type Browsing = Awaited<ReturnType<typeof browse>>;

/** The addresses of the integrations on their page. */
export const systemsIn = (page: string): string[] =>
  Array.from(page.matchAll(/<details[^>]* id="([0-9a-f]{16})"/g), ([, uid]) => `/integrations/${uid}`);

/** The paths of a page's links that contain this. */
export const linksIn = (html: string, part: string) =>
  Array.from(html.matchAll(/href="([^"]*)"/g), ([, href = '']) => href.replaceAll('&amp;', '&')).filter(
    (href) => href.includes(part),
  );
