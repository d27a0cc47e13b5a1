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

/** `203.0.113.7` of `203.0.113.7:5060`; `2001:db8::1` of `[2001:db8::1]:5060`; each may be in quotes. */
function addressOf(hop: string): string {
  const text = hop
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .trim();
  return /^\[([^\]]*)\](?::\d*)?$/.exec(text)?.[1] ?? /^([\d.]+):\d*$/.exec(text)?.[1] ?? text;
}
