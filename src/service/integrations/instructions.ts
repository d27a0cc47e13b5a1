import type { OldTokenUse } from '../accounts/directory-store.ts';

export const oldTokenText = (until: number, uses: readonly OldTokenUse[]) => [
  `The old token is accepted until ${new Date(until).toISOString()}. ${uses.length === 0 ? 'It has not been used since.' : 'Used from:'}`,
  ...uses.map(({ address, lastAt }) => `${address}  ${new Date(lastAt).toISOString()}`),
];

export const signInInstructions = (link: string) => [`Sign-in link (works once, within 15 minutes): ${link}`];

export const bridgeSettings = (url: string, token: string) => [
  'Settings for a bridge (.env or /etc/pbx-bridge/bridge.env):',
  `API_BASE_URL=${url}/api/v1`,
  `API_TOKEN=${token}`,
  'API_EXTRAS=yes',
];

export const phoneSystemInstructions = (url: string, token: string) => [
  ...bridgeSettings(url, token),
  '',
  'Command that makes a test call of ten seconds:',
  ...testCall(url, token).split('\n'),
];

/** For a shell; it can be repeated: events of a call that has ended have no effect. */
export const testCall = (url: string, token: string) =>
  `id=test-$(date +%s); for status in ringing answered completed; do
  curl ${url}/api/v1/voice/call -H 'Authorization: Bearer ${token}' \\
    -H 'Accept: application/json' -H 'Content-Type: application/json' \\
    -d '{"id":"'$id'","direction":"inbound","status":"'$status'","from":"+4930901820"}'
  echo; sleep 5
done`;
