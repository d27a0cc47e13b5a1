import { isIP } from 'node:net';
import { hostname } from 'node:os';

/**
 * Whether a request was sent to a name of this service: an IP address, `localhost`, the machine's own name, or one of
 * `hosts`. Another name may belong to an attacker who lets it point here, so that pages of that name can read ours (DNS
 * rebinding). `name`: as Fastify gives it, without a port.
 */
export function hostNames(hosts: readonly string[]): (name: string | undefined) => boolean {
  const known = new Set(['', 'localhost', hostname(), ...hosts].map((name) => name.toLowerCase()));
  return (name = '') =>
    known.has(name.toLowerCase().replace(/\.$/, '')) || isIP(name.replace(/^\[|\]$/g, '')) > 0;
}
