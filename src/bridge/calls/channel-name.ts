import { numberIn } from '../../shared/phone-number/number-text.ts';

/**
 * `real`: a phone, trunk or line. `local`: half of a Local pair. `pseudo`: a channel that Asterisk makes for itself.
 */
export type ChannelKind = 'real' | 'local' | 'pseudo';

/** A channel by its name. `number`: its CallerIDNum. */
type Named = { readonly name: string; readonly number?: string | undefined };

/** An analogue line, whose caller's number comes between the first two rings. */
export function isAnalogue(name: string): boolean {
  return /^DAHDI\/\d/.test(name);
}

/**
 * True for the endpoint of callers whom PJSIP does not know.
 * @see https://docs.asterisk.org/Configuration/Channel-Drivers/SIP/Configuring-res_pjsip/Endpoints-and-Location-A-Foundational-Understanding/ Anonymous endpoints
 */
export function isGuestEndpoint(endpoint: string): boolean {
  return /^PJSIP\/anonymous(?:@|$)/.test(endpoint);
}

/** Technologies that are not the end of a line: announcers, recorders, spies and stand-ins that Asterisk makes for itself. */
const pseudoTechnologies = new Set([
  'AsyncGoto',
  'Announcer',
  'Bridge',
  'BridgeVideo',
  'CBAnn',
  'CBRec',
  'ConfBridgeRecorder',
  'DAHDIScan',
  'Message',
  'MulticastRTP',
  'OutgoingSpoolFailed',
  'Parked',
  'Recorder',
  'Snoop',
  'Surrogate',
  'UnicastRTP',
  'AudioSocket',
  'WebSocket',
]);

export function channelKind(name: string): ChannelKind {
  const slash = name.indexOf('/');
  // A masquerade leaves the empty shell behind under this name until it is hung up.
  if (slash <= 0 || name.endsWith('<ZOMBIE>') || name.endsWith('<MASQ>')) return 'pseudo';
  const technology = name.slice(0, slash);
  if (technology === 'Local') return 'local';
  return pseudoTechnologies.has(technology) ? 'pseudo' : 'real';
}

/** `PJSIP/1001-0000002a` is `PJSIP/1001`; `DAHDI/i1/5551234-1` is `DAHDI/i1`, the span, since the rest is a number. */
export function endpointOf(name: string): string {
  const dash = name.lastIndexOf('-');
  const base = dash > 0 ? name.slice(0, dash) : name;
  const first = base.indexOf('/');
  const second = base.indexOf('/', first + 1);
  return second > 0 ? base.slice(0, second) : base;
}

/** The endpoint without its technology: `1001`. */
export function extensionOf(name: string): string {
  const endpoint = endpointOf(name);
  return endpoint.slice(endpoint.indexOf('/') + 1);
}

/** The name of the other half of a Local pair: `Local/s@ring-0001;1` for `Local/s@ring-0001;2`. */
export function otherHalf(localName: string): string {
  return `${localName.slice(0, -1)}${localName.endsWith('1') ? '2' : '1'}`;
}

/**
 * True if a number was dialled that is not the endpoint's own: the leg goes out over a trunk. A phone may have registered
 * under another number than its own, and is dialled by that contact then: `1001/sip:205@10.0.0.1`. An endpoint that the
 * configuration does not know may be a SIP proxy for phones, which is dialled in the same way.
 * @param isPhone whether the PBX's configuration says that the endpoint is none of a trunk: softphones register under
 * numbers of any length, also under their own.
 */
export function goesOverTrunk(
  { name, kind, number = '' }: Named & { readonly kind: ChannelKind },
  dialString: string,
  isPhone: boolean,
): boolean {
  const own = extensionOf(name);
  const called = dialledNumber(dialString);
  // A name such as `204w` or `1001@home` is not a number with something behind it.
  if (kind !== 'real' || called === '' || called === numberIn(own)) return false;
  if (!dialString.startsWith(`${own}/sip:`)) return true;
  if (numberIn(own) !== '') return false;
  if (called.startsWith('+')) return true;
  return !isPhone && (called.length > LONGEST_EXTENSION || called === numberIn(number));
}

/**
 * The number of a phone that is dialled by the address of an endpoint with a name (`anna/sip:204@10.0.0.1`), if the leg is for
 * that number: the endpoint is the phone, or a SIP proxy for it. '' for others. `number`: the leg's CallerIDNum.
 */
export function numberInAddress({ name, number = '' }: Named, dialString: string): string {
  const own = extensionOf(name);
  const called = dialString.startsWith(`${own}/sip:`) ? dialledNumber(dialString) : '';
  return numberIn(own) === '' && called === numberIn(number) ? called : '';
}

const LONGEST_EXTENSION = 6;

/** The number in a dial string: that of `0171392@trunk`, `g0/0171392` or `trunk/sip:0171392@10.0.0.1`; '' if none. */
export function dialledNumber(dialString: string): string {
  return numberIn(dialString.slice(dialString.lastIndexOf('/') + 1));
}
