import { existsSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';

/** Where Linux distributions keep them; a bare Debian has none, of which Node would complain on standard error. */
const systemFolder = '/etc/ssl/certs';

/**
 * Trusts the authorities of this machine beside those that Node brings along: an API, a PBX or a database behind a
 * company's own authority needs no setting here that the machine does not need for everything else. To be called before
 * the first connection; takes some 50 ms.
 */
export function trustSystemAuthorities(): void {
  if (!existsSync(systemFolder)) return;
  setDefaultCACertificates([...new Set([...getCACertificates('default'), ...getCACertificates('system')])]);
}
