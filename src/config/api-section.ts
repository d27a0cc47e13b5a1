import { section } from './section.ts';
import { baseUrl, duration, secret, yesNo } from './variable.ts';

const thisMachine = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

export const apiSection = section({
  title: 'The Call Integration API',
  shape: {
    API_BASE_URL: baseUrl('an http or https address that ends in /api/v1', (url) =>
      /\/api\/v1\/?$/.test(url.pathname + url.search + url.hash),
    ).describe('Its base address, such as https://example.com/api/v1.'),
    API_TOKEN: secret('the integration token, without spaces', /^[\x21-\x7e]+$/).describe(
      'The token, from the Integrations section of the account.',
    ),
    API_ALLOW_HTTP: yesNo()
      .prefault('no')
      .describe('Send the token over plain http to another machine: only in a network that you trust.'),
    API_TIMEOUT: duration('1s', '60s').prefault('10s').describe('How long an answer may take.'),
  },
  live: ['API_TOKEN'],
  conflicts: ({ API_BASE_URL, API_ALLOW_HTTP }) => {
    const url = new URL(API_BASE_URL);
    return url.protocol === 'http:' && !thisMachine.test(url.hostname) && !API_ALLOW_HTTP
      ? [
          `API_BASE_URL: got plain http to ${url.hostname}, which would show the token on the network; use https, or set API_ALLOW_HTTP=yes`,
        ]
      : [];
  },
  build: (values) => ({
    baseUrl: values.API_BASE_URL.replace(/\/$/, ''),
    token: values.API_TOKEN,
    answerTimeoutMs: values.API_TIMEOUT,
  }),
});
