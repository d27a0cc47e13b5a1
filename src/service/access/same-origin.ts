/** What tells where a request was made: the headers, and the host that the browser asked for. */
type Asked = { readonly headers: Record<string, unknown>; readonly host: string };

/**
 * True if a page of our own made the request. Browsers that came by https, or to this machine, say so in
 * Sec-Fetch-Site; the others send Origin with every form. Who sends neither is refused: no browser of this decade.
 * Only the host is compared: behind a proxy that is not trusted we do not know the protocol.
 * Sources: Fetch Metadata Request Headers (W3C), Fetch standard 3.2 (Origin).
 */
export function isSameOrigin({ headers, host }: Asked): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const { origin } = headers;
  return typeof origin === 'string' && URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}
