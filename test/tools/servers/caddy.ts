import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Certificate } from '../certificate.ts';
import { freePort } from '../free-port.ts';
import { runServer } from './run-server.ts';

const sample = new URL('../../../config/Caddyfile', import.meta.url);

/** Caddy in front of a service, configured as in the sample, with this certificate in place of one that it obtains. */
export async function startCaddy(
  service: string,
  { cert, key }: Certificate,
): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'pbx-bridge-caddy-'));
  const port = await freePort();
  const site = readFileSync(sample, 'utf8')
    // Any name, as the tests have none: for an address of this machine, Caddy would make a certificate first.
    .replace(/^calls\.example\.com {$/m, `:${port} {\n\tbind 127.0.0.1\n\ttls ${cert} ${key}`)
    .replace('127.0.0.1:8080', new URL(service).host);
  const options =
    '{\n\tadmin off\n\tskip_install_trust\n\tdefault_sni calls.example.com\n\tauto_https disable_redirects\n\tservers {\n\t\tprotocols h1 h2\n\t}\n}\n';
  const file = join(folder, 'Caddyfile');
  writeFileSync(file, options + site);
  const stop = await runServer({
    command: '/usr/bin/caddy',
    args: ['run', '--adapter', 'caddyfile', '--config', file],
    options: { env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder } },
    ...{ port, folder },
  });
  return {
    url: `https://127.0.0.1:${port}`,
    stop,
  };
}
