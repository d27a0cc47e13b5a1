import { networkInterfaces } from 'node:os';

/** Why nothing can connect to ::1 here; false if it can. */
export const withoutIpv6 = (): string | false =>
  Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ address }) => address === '::1'))
    ? false
    : 'this machine has no IPv6';
