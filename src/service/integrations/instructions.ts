import type { OldTokenUse } from '../accounts/old-token-store.ts';

export const oldTokenText = (until: number, uses: readonly OldTokenUse[]) => [
  `The old token is accepted until ${new Date(until).toISOString()}. ${uses.length === 0 ? 'It has not been used since.' : 'Used from:'}`,
  ...uses.map(({ address, lastAt }) => `${address}  ${new Date(lastAt).toISOString()}`),
];

export const signInInstructions = (link: string, within = '15 minutes') => [
  `Sign-in link (works once, within ${within}): ${link}`,
];

export const bridgeSettings = (url: string, token: string) => [
  'Settings for a bridge (.env or /etc/pbx-bridge/bridge.env):',
  ...bridgeLines(url, token).split('\n'),
];

export const phoneSystemInstructions = (url: string, token: string) => [
  ...bridgeSettings(url, token),
  '',
  'Command that makes a test call of ten seconds:',
  ...testCall(url, token).split('\n'),
];

/** For a shell on the phone system: sets its bridge up. */
export const setupLine = (url: string, token: string, country: string | null) =>
  [
    'pbx-bridge setup',
    ...bridgeLines(url, token).split('\n'),
    ...(country ? [`DEFAULT_COUNTRY=${country}`] : []),
  ].join(' \\\n  ');

/** For the .env file of the bridge. */
export const bridgeLines = (url: string, token: string) =>
  `API_BASE_URL=${url}/api/v1\nAPI_TOKEN=${token}\nAPI_EXTRAS=yes`;

/** For a shell; it can be repeated: events of a call that has ended have no effect. */
export const testCall = (url: string, token: string) =>
  `id=test-$(date +%s); for status in ringing answered completed; do
  curl ${url}/api/v1/voice/call -H 'Authorization: Bearer ${token}' \\
    -H 'Accept: application/json' -H 'Content-Type: application/json' \\
    -d '{"id":"'$id'","direction":"inbound","status":"'$status'","from":"+4930901820"}'
  echo; sleep 5
done`;
