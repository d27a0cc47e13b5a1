import type { IncomingHttpHeaders } from 'node:http';

/**
 * Takes the ports from the addresses that proxies wrote into X-Forwarded-For, as Azure's Application Gateway and IIS do:
 * with them every connection would be a client of its own, and no address of a trusted proxy.
 */
export function dropForwardedPorts(headers: IncomingHttpHeaders): void {
  const hops = headers['x-forwarded-for'];
  if (hops === undefined) return;
  headers['x-forwarded-for'] = `${hops}`.split(',').map(addressOf).join(', ');
}

/**
 * Leaves the protocol and the name that the browser used in X-Forwarded-Proto and X-Forwarded-Host. Of several proxies that are
 * trusted, the first says which: `https, http`. Fastify takes the last, and compares the case of protocols.
 */
export function keepFirstForwarded(headers: IncomingHttpHeaders): void {
  for (const name of ['x-forwarded-proto', 'x-forwarded-host']) {
    const values = headers[name];
    if (values !== undefined) headers[name] = (`${values}`.split(',')[0] ?? '').trim().toLowerCase();
  }
}

/** `203.0.113.7` of `203.0.113.7:5060`; `2001:db8::1` of `[2001:db8::1]:5060`; each may be in quotes. */
function addressOf(hop: string): string {
  const text = hop
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .trim();
  return /^\[([^\]]*)\](?::\d*)?$/.exec(text)?.[1] ?? /^([\d.]+):\d*$/.exec(text)?.[1] ?? text;
}
