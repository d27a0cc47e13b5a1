/** The token of an Authorization header (RFC 6750, 2.1); undefined if there is none. */
export function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1];
}
