import net from 'node:net';
import tls from 'node:tls';
import { trustSystemAuthorities } from '../../../shared/process/authorities.ts';
import type { Clock } from '../../../shared/process/clock.ts';
import type { AmiFailure } from '../failure.ts';

export type Endpoint = {
  readonly host: string;
  readonly port: number;
  /** TLS, with the certificate's chain and name always checked. */
  readonly tls?: TlsOptions | undefined;
};

export type TlsOptions = {
  /** PEM of the authorities to trust; the system's own when absent. */
  readonly ca?: string | undefined;
  /** The name that the certificate must bear; the host when absent. */
  readonly serverName?: string | undefined;
};

type OpenedSocket =
  | { readonly ok: true; readonly socket: net.Socket }
  | { readonly ok: false; readonly failure: AmiFailure };

/** Connects within a deadline, over TLS as far as its checks go. Never rejects. */
export function openSocket(
  endpoint: Endpoint,
  deadlineMs: number,
  clock: Clock,
  signal?: AbortSignal,
): Promise<OpenedSocket> {
  return new Promise((resolve) => {
    const socket = endpoint.tls === undefined ? net.connect(endpoint) : connectTls(endpoint, endpoint.tls);
    const cancel = clock.setTimer(() => {
      socket.destroy();
      settle({ ok: false, failure: { kind: 'connect-timeout' } });
    }, deadlineMs);
    const onError = (error: NodeJS.ErrnoException): void => {
      socket.destroy();
      settle({ ok: false, failure: connectFailure(error, endpoint.tls !== undefined) });
    };
    const onAbort = (): void => {
      socket.destroy();
      settle({ ok: false, failure: { kind: 'lost', detail: 'given up' } });
    };
    const onReady = (): void => {
      // From now on, errors belong to the caller.
      socket.off('error', onError);
      settle({ ok: true, socket });
    };
    socket.setNoDelay(true);
    socket.on('error', onError);
    socket.once(endpoint.tls === undefined ? 'connect' : 'secureConnect', onReady);

    signal?.addEventListener('abort', onAbort);

    function settle(result: OpenedSocket): void {
      cancel();
      signal?.removeEventListener('abort', onAbort);
      resolve(result);
    }
  });
}

function connectTls({ host, port }: Endpoint, { ca, serverName }: TlsOptions): tls.TLSSocket {
  trustSystemAuthorities();
  const name = serverName ?? host;
  return tls.connect({
    host,
    port,
    ...(ca === undefined ? {} : { ca }),
    // TLS takes no IP address as a server name. Node still compares it with the addresses in the certificate.
    ...(net.isIP(name) === 0 ? { servername: name } : {}),
    checkServerIdentity: (_host, certificate) => tls.checkServerIdentity(name, certificate),
    rejectUnauthorized: true,
  });
}

const authorityCodes = new Set([
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_UNTRUSTED',
  'CERT_REJECTED',
  'CERT_SIGNATURE_FAILURE',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'CERT_REVOKED',
]);

const networkCodes = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'EACCES',
  'EPERM',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  'ENOENT',
]);

function connectFailure(error: NodeJS.ErrnoException, overTls: boolean): AmiFailure {
  const code = errorCode(error);
  if (code === 'ETIMEDOUT') return { kind: 'connect-timeout' };
  if (!overTls || networkCodes.has(code)) return { kind: 'unreachable', detail: code };
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return { kind: 'tls', check: 'name', detail: error.message.replace(/^.*altnames: /, '') };
  }
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') {
    return { kind: 'tls', check: 'dates', detail: code };
  }
  return { kind: 'tls', check: authorityCodes.has(code) ? 'authority' : 'handshake', detail: code };
}

/** The system's code for an error; a host with several addresses fails with one error for each of them. */
export function errorCode(error: NodeJS.ErrnoException): string {
  const first = error instanceof AggregateError ? error.errors[0] : undefined;
  return error.code ?? first?.code ?? error.message;
}
