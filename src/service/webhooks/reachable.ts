import { lookup, Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP, isIPv4, type LookupFunction } from 'node:net';
import { allowList } from '../../shared/process/allow-list.ts';

/** Networks that are not the Internet (IANA's special-purpose registries). IPv4-mapped IPv6 addresses count as IPv4. */
const special4 = allowList([
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15'],
  ...['198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
]);
/** The Internet's part of IPv6, with the networks in it that lead to IPv4 (Teredo, 6to4) or nowhere. */
const internet6 = allowList(['2000::/3']);
const special6 = allowList(['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']);

const isPublic = (address: string) =>
  isIPv4(address) ? !special4(address) : internet6(address) && !special6(address);

/** Which addresses webhooks may be sent to: the Internet, and these networks (SERVICE_WEBHOOK_NETWORKS). */
export function reachable(networks: readonly string[]): (address: string) => boolean {
  const allowed = allowList(networks);
  return (address) => isIP(address) !== 0 && (isPublic(address) || allowed(address));
}

/** The code says that the host cannot be reached. The text names no address, which would reveal our network. */
export const notReachable = () =>
  Object.assign(new Error('the address is not on the Internet, and not in SERVICE_WEBHOOK_NETWORKS'), {
    code: 'EACCES',
  });

type Address = { address: string; family: number };

/**
 * A DNS lookup that returns only allowed addresses: the connection is made to what it returns. DNS is asked without
 * getaddrinfo(3), which waits in one of two threads that the whole process shares: a domain whose server does not answer
 * would keep the other webhooks and the database's name waiting. Names of /etc/hosts are asked from the system, and names
 * without a dot (search domains) if `asksSystem`.
 */
export function lookupOf(
  mayReach: (address: string) => boolean,
  asksSystem: boolean,
  createResolver = () => new Resolver({ timeout: 1_500, tries: 2 }),
): LookupFunction {
  const addressesOf = async (host: string): Promise<Address[]> =>
    (asksSystem && !host.includes('.')) || (await isInHosts(host))
      ? lookup(host, { all: true })
      : resolve(createResolver(), host);
  return (host, { all }, done) => {
    const answer = (found: readonly Address[]) => {
      const allowed = found.filter(({ address }) => mayReach(address));
      const [first] = allowed;
      if (first === undefined) done(notReachable(), '', 0);
      else if (all) done(null, allowed);
      else done(null, first.address, first.family);
    };
    addressesOf(host).then(answer, (error: NodeJS.ErrnoException) => done(error, '', 0));
  };
}

/** The addresses of a name in DNS. Fails as getaddrinfo(3) does: ENOTFOUND, or EAI_AGAIN where nothing is known yet. */
async function resolve(resolver: Resolver, host: string): Promise<Address[]> {
  const codes: string[] = [];
  const orNone = (addresses: Promise<string[]>, family: 4 | 6) =>
    addresses.then(
      (all) => all.map((address) => ({ address, family })),
      ({ code }: NodeJS.ErrnoException) => {
        codes.push(`${code}`);
        return [];
      },
    );
  const found = await Promise.all([orNone(resolver.resolve4(host), 4), orNone(resolver.resolve6(host), 6)]);
  if (codes.length < found.length) return found.flat();
  const isUnknown = codes.every((code) => code === 'ENOTFOUND' || code === 'ENODATA');
  throw Object.assign(new Error(`${host}: DNS says ${codes.join(' and ')}`), {
    code: isUnknown ? 'ENOTFOUND' : 'EAI_AGAIN',
  });
}

async function isInHosts(host: string): Promise<boolean> {
  const hosts = await readFile('/etc/hosts', 'utf8').catch(() => '');
  return hosts
    .split('\n')
    .some((line) => line.replace(/#.*/, '').toLowerCase().trim().split(/\s+/).slice(1).includes(host));
}
