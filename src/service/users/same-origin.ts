/** `host`: the host that the browser requested. */
type Origin = { readonly headers: Record<string, unknown>; readonly host: string };

/**
 * True if a page of this service made the request. With https or on localhost browsers send Sec-Fetch-Site, otherwise
 * Origin with every form. A request with neither is refused: every browser of this decade sends one.
 * Only the host is compared: behind a proxy that is not trusted the protocol is unknown.
 * Sources: Fetch Metadata Request Headers (W3C), Fetch standard 3.2 (Origin).
 */
export function isSameOrigin({ headers, host }: Origin): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const { origin } = headers;
  return typeof origin === 'string' && URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}
