/** Causes that technicians meet. Source: docs.asterisk.org, "Hangup Cause Mappings" (Q.850). */
const causes: Readonly<Record<number, string>> = {
  0: 'no cause',
  1: 'number not assigned',
  16: 'normal',
  17: 'busy',
  18: 'no response of the phone',
  19: 'no answer',
  20: 'phone not registered',
  21: 'rejected',
  26: 'answered elsewhere',
  27: 'destination out of order',
  28: 'number incomplete',
  31: 'normal, unspecified',
  34: 'no free line',
  38: 'network out of order',
  41: 'temporary failure',
  44: 'line not available',
  58: 'codec not available',
  102: 'timer expired',
  111: 'protocol error',
  127: 'interworking',
};

/** `cause 17 (busy)` */
export function hangupCause(cause: number): string {
  const words = causes[cause];
  return words === undefined ? `cause ${cause}` : `cause ${cause} (${words})`;
}
