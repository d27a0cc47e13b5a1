import { existsSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';

/** Missing on a minimal Debian, where Node would print a warning. */
const systemFolder = '/etc/ssl/certs';

/**
 * Trusts the certificate authorities of this machine in addition to Node's own, so that a company's own authority needs
 * no setting here. Call it before the first connection; takes about 50 ms.
 */
export function trustSystemAuthorities(): void {
  if (!existsSync(systemFolder)) return;
  setDefaultCACertificates([...new Set([...getCACertificates('default'), ...getCACertificates('system')])]);
}
