import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Certificate } from '../certificate.ts';
import { freePort } from '../free-port.ts';
import { runServer } from './run-server.ts';

const sample = new URL('../../../config/nginx-service.conf', import.meta.url);

/** The sample with these addresses, and with this certificate or without TLS. */
function sampleFor(
  urls: readonly string[],
  [port, plainPort]: readonly [number, number],
  certificate: Certificate | undefined,
): string {
  const servers = urls.map((url) => `server ${new URL(url).host} fail_timeout=5s;`).join('\n  ');
  const text = readFileSync(sample, 'utf8')
    .replace(/(server [\d.]+:8080 fail_timeout=5s;\s+)+/, `${servers}\n  `)
    .replace('listen 80;', `listen 127.0.0.1:${plainPort};`)
    .replace(
      /^( *)listen 443 (.*);$/m,
      (_, indent, how) => `${indent}listen 127.0.0.1:${port} ${certificate ? how : ''};`,
    );
  return certificate
    ? text
        .replace(/ssl_certificate .*;/, `ssl_certificate ${certificate.cert};`)
        .replace(/ssl_certificate_key .*;/, `ssl_certificate_key ${certificate.key};`)
    : text.replace(/^\s*ssl_.*\n/gm, '');
}

/** nginx in front of services, configured as in the sample; each request goes to the next of them. */
export async function startNginx(
  urls: readonly string[],
  certificate?: Certificate,
): Promise<{
  url: string;
  /** Of the server that leads to https. */
  plainUrl: string;
  stop(): Promise<void>;
}> {
  const folder = mkdtempSync(join(tmpdir(), 'pbx-bridge-nginx-'));
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const [port, plainPort] = [await freePort(), await freePort()] as const;
  const path = (name: string) => join(folder, name);
  writeFileSync(
    path('nginx.conf'),
    `worker_processes 1;
daemon off;
pid ${path('pid')};
error_log stderr warn;
events { worker_connections 1024; }
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${path(name)};`).join('\n  ')}
  ${sampleFor(urls, [port, plainPort], certificate)}
}
`,
  );
  if (user.uid !== undefined)
    execFileSync('chown', [
      '-R',
      `${user.uid}:${user.gid}`,
      folder,
      ...(certificate ? [certificate.key] : []),
    ]);
  const stop = await runServer({
    command: '/usr/sbin/nginx',
    args: ['-e', 'stderr', '-c', path('nginx.conf')],
    options: user,
    ...{ port, folder },
  });
  return {
    url: `${certificate ? 'https' : 'http'}://127.0.0.1:${port}`,
    plainUrl: `http://127.0.0.1:${plainPort}`,
    stop,
  };
}
