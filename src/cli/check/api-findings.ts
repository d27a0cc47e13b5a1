import { type ApiResult, apiErrorKinds } from '../../api/result.ts';
import { historyPage } from '../../delivery/history-page.ts';
import { duration } from '../../delivery/report.ts';
import { bad, type Finding, warn, well } from './finding.ts';

const clockOffMs = 60_000;

const failures = {
  refused: 'Nothing listens there. Is the address in API_BASE_URL right, and the API up?',
  unreachable: 'Look at the network and the firewall between this machine and the API.',
  dns: 'Look at the host name in API_BASE_URL, and at the name server of this machine.',
  'timeout-connect': 'A firewall may drop it. Look at the network between this machine and the API.',
  tls: 'Look at the certificate of the API, which must be of an authority that this machine trusts, and at the clock. A proxy may stand between.',
  'timeout-headers': 'The API is too slow, or hangs. API_TIMEOUT says how long it may take.',
  'timeout-body': 'The API is too slow, or hangs. API_TIMEOUT says how long it may take.',
  reset: 'The API or something between has cut the connection. Look at its log.',
  protocol: 'Something else than a web server answers there. Look at API_BASE_URL.',
  closed: 'Try again.',
  unknown: 'Try again; if it stays, report it.',
} as const;

/** What the answer to a look at the request history says of address, token and clock. */
export function apiFindings(
  result: ApiResult,
  { baseUrl, now }: { baseUrl: string; now: number },
): Finding[] {
  const what = `the API at ${baseUrl}`;
  if (result.kind === 'failed')
    return [bad(what, `${apiErrorKinds[result.error]} (${result.detail})`, failures[result.error])];
  const { status, durationMs } = result;
  const token = 'the token';
  if (status === 401 || status === 403)
    return [
      well(what, `answers, in ${Math.round(durationMs)} ms`),
      bad(token, `refused (HTTP ${status})`, 'Copy it anew from the Integrations section of the account.'),
    ];
  const wrongAddress = 'Look at API_BASE_URL: host, and the path up to /api/v1.';
  if (status >= 300 && status < 400)
    return [bad(what, `a redirect (HTTP ${status}) to ${result.location ?? 'somewhere'}`, wrongAddress)];
  if (status === 404 || status === 405) return [bad(what, `no such page (HTTP ${status})`, wrongAddress)];
  if (status >= 500) return [bad(what, `has a fault (HTTP ${status})`, 'Events wait until it works again.')];
  if (historyPage(result.body) === undefined)
    return [bad(what, `HTTP ${status}, but not the API's own answer (a page?)`, wrongAddress)];
  return [
    well(what, `answers, in ${Math.round(durationMs)} ms`),
    well(token, 'taken'),
    clockFinding(result.date, now),
  ].filter((it) => it !== undefined);
}

function clockFinding(date: string | undefined, now: number): Finding | undefined {
  const theirs = Date.parse(date ?? '');
  if (Number.isNaN(theirs)) return undefined;
  const what = 'clock of the API and of this machine';
  const ahead = theirs - now;
  if (Math.abs(ahead) <= clockOffMs) return well(what, 'the same');
  const off = `that of the API is ${duration(Math.abs(ahead))} ${ahead > 0 ? 'ahead' : 'behind'}`;
  return warn(what, off, 'Look at the time and the time zone of this machine (timedatectl).');
}

/** Whether the last call that this bridge delivered is in the history of this token's account. */
export function accountFinding(callId: string, found: boolean): Finding {
  const what = 'the last delivered call in the history of this account';
  return found
    ? well(what, `${callId} is there`)
    : bad(
        what,
        `${callId} was delivered, and is not there`,
        'Is API_TOKEN that of another account or another API? See pbx-bridge verify.',
      );
}
