/** What people do with a link, and phone systems with a token. */
export const forBrowser = (link: string) => [`Sign in within a quarter of an hour, once: ${link}`];

export const forBridge = (url: string, token: string) => [
  'The lines for the settings of a bridge (.env, or /etc/pbx-bridge/bridge.env):',
  `API_BASE_URL=${url}/api/v1`,
  `API_TOKEN=${token}`,
];

export const forPhoneSystem = (url: string, token: string) => [
  ...forBridge(url, token),
  '',
  'A first event by hand:',
  `curl ${url}/api/v1/voice/call -H 'Accept: application/json' -H 'Content-Type: application/json' \\`,
  `  -H 'Authorization: Bearer ${token}' \\`,
  `  -d '{"id":"test-1","direction":"inbound","status":"ringing","from":"+4930901820"}'`,
];
