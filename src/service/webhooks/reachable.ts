import { type LookupAddress, lookup } from 'node:dns';
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

/** A DNS lookup that returns only allowed addresses: the connection is made to what it returns. */
export function lookupOf(mayReach: (address: string) => boolean): LookupFunction {
  return (host, options, done) => {
    lookup(host, { ...options, all: true }, (error, found: LookupAddress[] = []) => {
      const allowed = found.filter(({ address }) => mayReach(address));
      const [first] = allowed;
      if (error || first === undefined) done(error ?? notReachable(), '', 0);
      else if (options.all) done(null, allowed);
      else done(null, first.address, first.family);
    });
  };
}
