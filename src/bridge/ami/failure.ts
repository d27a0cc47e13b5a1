/** Why there is no link to Asterisk: one kind for each remedy. */
export type AmiFailure =
  /** Nothing answers there: refused, no route, no such name. `detail` is the system's code, such as ECONNREFUSED. */
  | { readonly kind: 'unreachable'; readonly detail: string }
  /** No connection within the deadline: a firewall that drops, or a host that is off. */
  | { readonly kind: 'connect-timeout' }
  /**
   * TLS failed: the certificate is for another `name`, its `authority` is not one we know, its `dates`
   * are over or not yet begun, or there was no TLS `handshake` at all.
   */
  | {
      readonly kind: 'tls';
      readonly check: 'name' | 'authority' | 'dates' | 'handshake';
      readonly detail: string;
    }
  /** Not Asterisk's greeting, or none. `detail`: the first bytes that came. */
  | { readonly kind: 'not-asterisk'; readonly detail: string }
  /**
   * Wrong user or secret, or an address that the user may not come from; Asterisk gives all three the same answer. Or the user is logged
   * in already, and may be only once.
   */
  | { readonly kind: 'login-refused'; readonly detail: string }
  /** The manager user lacks write class `reporting`, so it may not ask which channels there are. */
  | { readonly kind: 'no-reporting-class'; readonly detail: string }
  /** The manager user lacks read class `call`: calls come and go without any event. */
  | { readonly kind: 'no-call-class' }
  /** Connected, but nothing is answered any more: half-open, or an Asterisk that hangs. `detail`: the unanswered request. */
  | { readonly kind: 'silent'; readonly detail: string }
  /** The connection ended. `detail` is the system's code; 'closed' if Asterisk closed it. */
  | { readonly kind: 'lost'; readonly detail: string };

export const saysNothing: AmiFailure = { kind: 'not-asterisk', detail: 'it says nothing' };

/** True if there was a connection, but no answer in time: an Asterisk that is too busy looks the same. */
export const isSilence = (failure: AmiFailure): boolean =>
  failure.kind === 'silent' || failure === saysNothing;

/** Codes of addresses where Asterisk may answer later. */
const passingCodes = new Set([
  ...['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'ENETDOWN', 'EAI_AGAIN'],
]);

/** True if it may end by waiting: Asterisk or the network may not be up yet. Other failures need a change by a person. */
export function mayPass(failure: AmiFailure): boolean {
  switch (failure.kind) {
    case 'unreachable':
      return passingCodes.has(failure.detail);
    case 'connect-timeout':
    case 'silent':
    case 'lost':
      return true;
    default:
      return failure === saysNothing;
  }
}

/** One line for people, without its cause's name. */
export function describeFailure(failure: AmiFailure): string {
  switch (failure.kind) {
    case 'unreachable':
      return `nothing answers there (${failure.detail})`;
    case 'connect-timeout':
      return 'no answer within the deadline';
    case 'tls':
      return `TLS: ${tlsChecks[failure.check]} (${failure.detail})`;
    case 'not-asterisk':
      return `another program listens there, ${failure.detail}`;
    case 'login-refused':
      return `login refused (${failure.detail}${/already in use/i.test(failure.detail) ? inUse : ''})`;
    case 'no-reporting-class':
      return `the manager user lacks write class "reporting" (${failure.detail})`;
    case 'no-call-class':
      return 'the manager user lacks read class "call"';
    case 'silent':
      return `no answer to ${failure.detail}`;
    case 'lost':
      return failure.detail === 'closed' ? 'closed by Asterisk' : `connection lost (${failure.detail})`;
  }
}

const inUse = ': manager.conf has allowmultiplelogin = no, and another program is logged in as this user';

const tlsChecks = {
  name: 'the certificate is for another name',
  authority: 'the certificate is not signed by a trusted authority',
  dates: 'the certificate is not valid today',
  handshake: 'no TLS handshake',
} as const;
