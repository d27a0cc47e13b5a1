import { section } from './section.ts';
import { baseUrl, duration, secret, yesNo } from './variable.ts';

const thisMachine = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

export const apiSection = section({
  title: 'The Call Integration API',
  shape: {
    API_BASE_URL: baseUrl('an http or https address that ends in /api/v1', (url) =>
      /\/api\/v1\/?$/.test(url.pathname + url.search + url.hash),
    ).describe('Base URL of the API, such as https://example.com/api/v1.'),
    API_TOKEN: secret('the integration token, without spaces', /^[\x21-\x7e]+$/).describe(
      'Integration token, from the Integrations section of the account.',
    ),
    API_ALLOW_HTTP: yesNo()
      .prefault('no')
      .describe(
        'Allow plain http to another machine, which sends the token unencrypted. Only for trusted networks.',
      ),
    API_TIMEOUT: duration('1s', '60s').prefault('10s').describe('How long to wait for a response.'),
  },
  live: ['API_TOKEN'],
  conflicts: ({ API_BASE_URL, API_ALLOW_HTTP }) => {
    const url = new URL(API_BASE_URL);
    return url.protocol === 'http:' && !thisMachine.test(url.hostname) && !API_ALLOW_HTTP
      ? [
          `API_BASE_URL: got plain http to ${url.hostname}, which would send the token unencrypted; use https, or set API_ALLOW_HTTP=yes`,
        ]
      : [];
  },
  build: (values) => ({
    baseUrl: values.API_BASE_URL.replace(/\/$/, ''),
    token: values.API_TOKEN,
    answerTimeoutMs: values.API_TIMEOUT,
  }),
});
