/**
 * Of every answer. Only the service's own files run or load, forms are sent only to it, and no page frames it. Pages get a
 * referrer: without one, browsers send `Origin: null` with their forms.
 */
export const securityHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
} as const;

/** The token of an Authorization header (RFC 6750, 2.1); undefined if there is none. */
export function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1];
}

/** The password of an Authorization header of a browser (RFC 7617); undefined if there is none. */
export function basicPassword(header: string | undefined): string | undefined {
  const [, encoded] = /^Basic +(\S+) *$/i.exec(header ?? '') ?? [];
  return encoded && /^[^:]*:(.*)$/s.exec(Buffer.from(encoded, 'base64').toString())?.[1];
}
