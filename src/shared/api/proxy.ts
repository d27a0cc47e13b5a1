import { BlockList, isIP } from 'node:net';

/** The proxies of this machine, as HTTPS_PROXY, HTTP_PROXY and NO_PROXY name them. */
export type Proxies = {
  /** For https addresses. */
  readonly https?: string | undefined;
  /** For http addresses. */
  readonly http?: string | undefined;
  /** Hosts that are reached without: names with all below them, `HOST:PORT`, addresses, networks such as 10.0.0.0/8, `*`. */
  readonly except?: readonly string[] | undefined;
};

/** The proxy to this address, undefined if it is reached directly; this machine always is. */
export function proxyFor(address: string, { https, http, except = [] }: Proxies): string | undefined {
  const { protocol, hostname, port } = new URL(address);
  const host = hostname.replace(/^\[|\]$/g, '');
  const portOrDefault = port || (protocol === 'https:' ? '443' : '80');
  const isExcepted = ['localhost', '127.0.0.0/8', '::1', ...except].some((entry) => {
    const [, pattern = entry, only] = /^(.+):(\d+)$/.exec(isIP(entry) ? '' : entry) ?? [];
    return (only ?? portOrDefault) === portOrDefault && isIn(host, pattern.toLowerCase());
  });
  return isExcepted ? undefined : protocol === 'https:' ? https : http;
}

function isIn(host: string, pattern: string): boolean {
  const [, network, bits] = /^([\da-f.:]+)\/(\d+)$/.exec(pattern) ?? [];
  if (network !== undefined && isIP(network) > 0) {
    const family = isIP(network) === 4 ? 'ipv4' : 'ipv6';
    const list = new BlockList();
    list.addSubnet(network, Math.min(Number(bits), family === 'ipv4' ? 32 : 128), family);
    return isIP(host) === isIP(network) && list.check(host, family);
  }
  const name = pattern.replace(/^\*?\./, '').replace(/^\[|\]$/g, '');
  return pattern === '*' || host === name || host.endsWith(`.${name}`);
}
