import type { ApiClientOptions } from '../../shared/api/client.ts';
import { waitingNumbersSchema } from '../../shared/api/contract/bridge-call-backs.ts';
import { type ApiResult, apiErrorKinds, proxyFor } from '../../shared/api/result.ts';
import { historyPage } from '../../shared/delivery/history-page.ts';
import { duration } from '../../shared/delivery/report.ts';
import { parseJson } from '../../shared/process/parse-json.ts';
import { count } from '../text/format-text.ts';
import { type Finding, failed, passed, warning } from './finding.ts';

const clockOffMs = 60_000;

const failures = {
  refused: 'Check that API_BASE_URL is correct and that the API is running.',
  unreachable: 'Check the network and the firewall between this machine and the API.',
  dns: 'Check the host name in API_BASE_URL and the name server of this machine.',
  'timeout-connect':
    'A firewall may drop the connection. Check the network between this machine and the API.',
  tls: "Check that this machine trusts the authority of the API's certificate, that its clock is right, and that no proxy intercepts TLS.",
  proxy:
    'Check the user name and password in HTTPS_PROXY, and that the proxy allows the host of API_BASE_URL.',
  'timeout-headers': 'The API is slow or hangs. API_TIMEOUT sets how long it may take.',
  'timeout-body': 'The API is slow or hangs. API_TIMEOUT sets how long it may take.',
  reset: 'The API or a proxy closed the connection. Check their logs.',
  protocol: 'What answers is not a web server. Check API_BASE_URL.',
  closed: 'Try again.',
  unknown: 'Try again. If it happens again, report it.',
} as const;

/** Checks the address, the token and the clock by the response to a request for the request history. */
export function apiFindings(
  result: ApiResult,
  { baseUrl, proxies = {}, now }: Pick<ApiClientOptions, 'baseUrl' | 'proxies'> & { readonly now: number },
): Finding[] {
  const proxy = proxyFor(baseUrl, proxies);
  const what = `the API at ${baseUrl}${proxy === undefined ? '' : `, through the proxy ${new URL(proxy).origin}`}`;
  if (result.kind === 'failed')
    return [failed(what, `${apiErrorKinds[result.error]} (${result.detail})`, failures[result.error])];
  const { status, durationMs } = result;
  const token = 'the token';
  if (status === 401 || status === 403)
    return [
      passed(what, `responds in ${Math.round(durationMs)} ms`),
      failed(
        token,
        `refused (HTTP ${status})`,
        'Copy the token again from the Integrations section of the account.',
      ),
    ];
  const wrongAddress = 'Check API_BASE_URL: host, and path up to /api/v1.';
  if (status >= 300 && status < 400)
    return [
      failed(what, `redirects (HTTP ${status}) to ${result.location ?? 'an unknown address'}`, wrongAddress),
    ];
  if (status === 404 || status === 405)
    return [failed(what, `not found there (HTTP ${status})`, wrongAddress)];
  if (status >= 500)
    return [failed(what, `has an error (HTTP ${status})`, 'Events wait until it works again.')];
  if (historyPage(result.body) === undefined)
    return [failed(what, `HTTP ${status}, but not the API's JSON (a web page?)`, wrongAddress)];
  return [
    passed(what, `responds in ${Math.round(durationMs)} ms`),
    passed(token, 'accepted'),
    clockFinding(result.date, now),
  ].filter((it) => it !== undefined);
}

function clockFinding(date: string | undefined, now: number): Finding | undefined {
  const theirs = Date.parse(date ?? '');
  if (Number.isNaN(theirs)) return undefined;
  const what = 'clocks of the API and of this machine';
  const ahead = theirs - now;
  if (Math.abs(ahead) <= clockOffMs) return passed(what, 'agree');
  const off = `the clock of the API is ${duration(Math.abs(ahead))} ${ahead > 0 ? 'ahead' : 'behind'}`;
  return warning(what, off, 'Check the time and the time zone of this machine (timedatectl).');
}

/** Checks what CALL_BACKS=yes needs: a service that knows it, and a country in which numbers are dialled. */
export function callBackFindings(result: ApiResult, country: string | undefined): Finding[] {
  // Why there is no answer, or no access, is said of the request for the history.
  if (result.kind === 'failed' || result.status === 401 || result.status === 403) return [];
  const what = 'CALL_BACKS';
  const { data } = waitingNumbersSchema.safeParse(parseJson(result.body));
  if (result.status !== 200 || data === undefined)
    return [
      warning(
        what,
        `the service does not know it (HTTP ${result.status})`,
        'Upgrade the service, or remove CALL_BACKS: no other API knows it.',
      ),
    ];
  const waiting = data.numbers?.length ?? 0;
  const known = passed(what, `${count(waiting, 'number waits', 'numbers wait')} for a call back`);
  if (country !== undefined) return [known];
  const unread = 'without DEFAULT_COUNTRY only numbers that are dialled as +49... or 0049... are recognised';
  return [known, warning(what, unread, 'Set DEFAULT_COUNTRY.')];
}

/** Checks that the last delivered call is in the request history of the token's account. */
export function accountFinding(callId: string, found: boolean): Finding {
  const what = 'last delivered call in the request history of the API';
  return found
    ? passed(what, `${callId} found`)
    : failed(
        what,
        `${callId} not found, although it was delivered`,
        'Check that API_TOKEN is of the right account and the right API. See pbx-bridge verify.',
      );
}
