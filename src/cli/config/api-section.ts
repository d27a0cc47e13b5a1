import { createSecureContext } from 'node:tls';
import { z } from 'zod';
import { messageOf } from '../../shared/process/parse-json.ts';
import {
  baseUrl,
  duration,
  file,
  globs,
  line,
  live,
  proxy,
  secret,
  section,
  setAlone,
  yesNo,
} from './variable.ts';

const thisMachine = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Words that mean something else than the name of an extension, in a list. */
const answers = /(^|,)\s*(yes|no|on|off|true|false|all|none)\s*(,|$)/i;

export const apiSection = section({
  title: 'The Call Integration API',
  shape: {
    API_BASE_URL: baseUrl('an http or https address that ends in /api/v1', (url) =>
      /\/api\/v1\/?$/.test(url.pathname + url.search + url.hash),
    ).describe('Base URL of the API, such as https://example.com/api/v1.'),
    API_TOKEN: secret('the integration token, without spaces', /^[\x21-\x7e]+$/)
      .describe('Integration token, from the Integrations section of the account.')
      .meta(live),
    API_ALLOW_HTTP: yesNo()
      .prefault('no')
      .describe(
        'Allow plain http to another machine, which sends the token unencrypted. Only for trusted networks.',
      ),
    API_EXTRAS: yesNo()
      .prefault('no')
      .describe(
        'Also send what the document of the API does not name: the open problems of this bridge; with each call event, which number was called, on which line and when, who rang and who talked; where a missed call ended. For the service of pbx-bridge only, which prints this line.',
      ),
    CALL_BACKS: z
      .string()
      // Elsewhere 1 and 0 mean yes and no; here they may be an extension. Nobody's phone is called `Yes`.
      .refine((text) => !/^[01]$/.test(text) && (yesNo().safeParse(text).success || !answers.test(text)))
      .pipe(
        z.union([
          yesNo().transform((isOn) => (isOn ? ('all' as const) : undefined)),
          globs('1*,2001').refine((extensions) => extensions.length > 0),
        ]),
      )
      .meta({ takes: 'yes, no, or a comma-separated list of globs of extensions, such as 1*,2001' })
      .prefault('no')
      .describe(
        'Ask the service which numbers wait for a call back, and report calls from here to these numbers: who called, and how long they talked or that nobody was reached. No other outgoing call is reported. yes: all calls. 1*,2001: those of these extensions only, where a PBX has several firms. They are named as by ANSWERED_BY=endpoint, in upper or lower case. For the service of pbx-bridge only.',
      ),
    API_TIMEOUT: duration('1s', '60s').prefault('10s').describe('How long to wait for a response.'),
    HTTPS_PROXY: proxy()
      .optional()
      .describe(
        'Proxy to an API with an https address. Its user name and password may be part of the address.',
      ),
    HTTP_PROXY: proxy().optional().describe('Proxy to an API with an http address.'),
    NO_PROXY: line('names, addresses and networks, separated by commas, or *')
      .optional()
      .describe('Hosts that are reached without a proxy, with all below them. This machine always is.'),
    API_CLIENT_CERT: file('the path of a readable PEM file', /-----BEGIN CERTIFICATE-----/)
      .optional()
      .describe('Client certificate, if the API asks for one.'),
    API_CLIENT_KEY: file('the path of a readable PEM file', /-----BEGIN [A-Z ]*PRIVATE KEY-----/)
      .optional()
      .describe('Private key of the client certificate.'),
  },
  address: ['API_BASE_URL'],
  conflicts: ({ API_BASE_URL, API_ALLOW_HTTP, API_CLIENT_CERT, API_CLIENT_KEY }) => {
    const url = new URL(API_BASE_URL);
    const plainHttp =
      url.protocol === 'http:' && !thisMachine.test(url.hostname) && !API_ALLOW_HTTP
        ? [
            `API_BASE_URL: got plain http to ${url.hostname}, which would send the token unencrypted; use https, or set API_ALLOW_HTTP=yes`,
          ]
        : [];
    return [...plainHttp, ...certificateProblems(API_CLIENT_CERT, API_CLIENT_KEY)];
  },
  build: (values) => ({
    baseUrl: values.API_BASE_URL.replace(/\/$/, ''),
    token: values.API_TOKEN,
    extras: values.API_EXTRAS,
    callBacks: values.CALL_BACKS,
    answerTimeoutMs: values.API_TIMEOUT,
    proxies: {
      https: values.HTTPS_PROXY,
      http: values.HTTP_PROXY,
      except: values.NO_PROXY?.split(/[,\s]+/).filter((entry) => entry !== ''),
    },
    clientCertificate:
      values.API_CLIENT_CERT !== undefined && values.API_CLIENT_KEY !== undefined
        ? { cert: values.API_CLIENT_CERT, key: values.API_CLIENT_KEY }
        : undefined,
  }),
});

function certificateProblems(cert: string | undefined, key: string | undefined): string[] {
  const alone = setAlone('API_CLIENT', cert, key);
  if (alone.length > 0) return alone;
  try {
    createSecureContext({ cert, key });
    return [];
  } catch (error) {
    return [`API_CLIENT_KEY: does not fit API_CLIENT_CERT (${messageOf(error)})`];
  }
}
