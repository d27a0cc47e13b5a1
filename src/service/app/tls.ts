import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext, type Server } from 'node:tls';
import { messageOf } from '../../shared/process/parse-json.ts';

/** Paths of PEM files: a certificate, followed by those between it and its authority, and its private key. */
export type TlsFiles = { readonly certificate: string; readonly key: string };

export type Tls = ReturnType<typeof createTls>;

/**
 * What the service answers https with. The files are read again by `renew`: who obtains certificates replaces them every few
 * weeks, one after the other.
 * @throws as `renew`
 */
export function createTls(files: TlsFiles) {
  let current = readPair(files);
  return {
    /** As Node's servers take it. */
    pair: () => ({ cert: current.cert, key: current.key }),
    /** When the certificate expires, Unix ms. */
    endsAt: () => current.endsAt,
    /**
     * Lets new connections have what the files hold now. Returns whether that has changed.
     * @throws if the files are of no use, naming the setting; the server keeps what it has
     */
    renew(server: Pick<Server, 'setSecureContext'>): boolean {
      const read = readPair(files);
      if (read.cert === current.cert && read.key === current.key) return false;
      server.setSecureContext({ cert: read.cert, key: read.key });
      current = read;
      return true;
    },
  };
}

function readPair(files: TlsFiles) {
  const cert = read('SERVICE_TLS_CERT', files.certificate);
  const key = read('SERVICE_TLS_KEY', files.key);
  const certificate = attempt('SERVICE_TLS_CERT', `${files.certificate} holds no certificate (PEM)`, () => {
    createSecureContext({ cert });
    return new X509Certificate(cert);
  });
  attempt('SERVICE_TLS_KEY', `${files.key} is not the key of ${files.certificate} (PEM, no passphrase)`, () =>
    createSecureContext({ cert, key }),
  );
  return { cert, key, endsAt: certificate.validToDate.getTime() };
}

const read = (setting: string, path: string): string =>
  attempt(setting, `cannot read ${path}`, () => readFileSync(path, 'utf8'));

function attempt<Result>(setting: string, otherwise: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw new Error(`${setting}: ${otherwise}: ${messageOf(error)}`, { cause: error });
  }
}
