import { execFileSync } from 'node:child_process';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { cannotInstall, installPackages } from './debian.ts';

/** A key and its certificate, PEM files. */
export type Certificate = { readonly key: string; readonly cert: string };

/** A certificate that is its own authority's, for this host name or address only, in a folder. Installs openssl. */
export async function createCertificate(folder: string, name: string): Promise<Certificate> {
  if (cannotInstall() === undefined) await installPackages({ '/usr/bin/openssl': 'openssl' });
  const [key, cert] = [join(folder, `${name}.key`), join(folder, `${name}.pem`)];
  const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=${isIP(name) ? 'IP' : 'DNS'}:${name}`];
  const days = ['-days', '2', '-nodes', ...subject];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  execFileSync('openssl', ['req', '-x509', ...kind, ...days, '-keyout', key, '-out', cert], {
    stdio: 'pipe',
  });
  return { key, cert };
}
