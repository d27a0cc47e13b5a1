import { hostname } from 'node:os';

type Configured = {
  readonly publicUrl?: string | undefined;
  readonly hosts: readonly string[];
  /** Whether the service answers https by itself: anything but undefined. */
  readonly tls?: object | undefined;
};

/**
 * `https://calls.example.com`, as the settings say that people reach the service: SERVICE_URL, or https and the first of
 * SERVICE_HOSTS. Undefined if they say nothing.
 */
export const publicAddress = ({ publicUrl, hosts }: Configured): string | undefined =>
  publicUrl ?? (hosts[0] === undefined ? undefined : `https://${hosts[0]}`);

/**
 * The address in links that are sent to others: mails and invitations. Never what a browser calls the service, which may
 * be an address that only it can use. Without settings, the address that the service listens on.
 */
export const linkAddress = (
  configured: Configured,
  { host, port }: { readonly host: string; readonly port: number },
): string => publicAddress(configured) ?? `${configured.tls ? 'https' : 'http'}://${hostInUrl(host)}:${port}`;

/** A host in a URL. If it is all addresses of this machine, its name. */
function hostInUrl(host: string): string {
  if (host === '0.0.0.0' || host === '::') return hostname();
  return bracketed(host);
}

/** A host as URLs have it: IPv6 in brackets. */
export const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host);
