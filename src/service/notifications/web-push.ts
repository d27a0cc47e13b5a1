import { createECDH, createPrivateKey, randomBytes, sign } from 'node:crypto';
import type { Keys } from '../accounts/keys.ts';
import type { WebhookClient } from '../webhooks/webhook-client.ts';
import type { PushDevice } from './notification.ts';

export type WebPush = ReturnType<typeof createWebPush>;

/** What came of a message: `gone`: the browser gets none any more. */
export type PushResult = 'sent' | 'gone' | 'failed';

/** How long the push service keeps a message for a browser that is not reached, seconds. */
const TTL_S = 86_400;
/** How long a push service takes a token of ours, seconds. RFC 8292 allows a day. */
const TOKEN_S = 43_200;
/** The order of the curve P-256: a private key is less, and not 0. */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/**
 * The service's keys towards push services (VAPID, RFC 8292). Like tokens they are derived from the server secret: all processes have
 * the same, a copy of the database has none.
 */
function vapidKeys(keys: Keys) {
  const number = (BigInt(`0x${keys.sign('web push', 'vapid')}`) % (ORDER - 1n)) + 1n;
  const secret = Buffer.from(number.toString(16).padStart(64, '0'), 'hex');
  const curve = createECDH('prime256v1');
  curve.setPrivateKey(secret);
  const point = curve.getPublicKey();
  const part = (from: number) => point.subarray(from, from + 32).toString('base64url');
  const jwk = { kty: 'EC', crv: 'P-256', x: part(1), y: part(33), d: secret.toString('base64url') };
  return {
    publicKey: point.toString('base64url'),
    privateKey: createPrivateKey({ key: jwk, format: 'jwk' }),
  };
}

/**
 * Sends push messages to browsers by the services that their makers run. `contact`: an https or mailto address that these may turn to;
 * undefined: none.
 */
export function createWebPush(
  keys: Keys,
  client: Pick<WebhookClient, 'post'>,
  contact: () => string | undefined,
  clock: () => number,
) {
  const { publicKey, privateKey } = vapidKeys(keys);

  function authorization(endpoint: string): string {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = {
      aud: new URL(endpoint).origin,
      exp: Math.floor(clock() / 1000) + TOKEN_S,
      sub: contact(),
    };
    const token = `${part({ typ: 'JWT', alg: 'ES256' })}.${part(claims)}`;
    const signature = sign('sha256', Buffer.from(token), { key: privateKey, dsaEncoding: 'ieee-p1363' });
    return `vapid t=${token}.${signature.toString('base64url')}, k=${publicKey}`;
  }

  return {
    /** What a browser subscribes with, base64url. */
    publicKey,
    /** Posts a message that only the browser can read (RFC 8291). Never rejects. */
    async send(device: PushDevice, message: object): Promise<PushResult> {
      const { endpoint } = device;
      try {
        const body = await encrypted(device, Buffer.from(JSON.stringify(message)));
        const answer = await client.post(
          endpoint,
          {
            authorization: authorization(endpoint),
            'content-type': 'application/octet-stream',
            'content-encoding': 'aes128gcm',
            ttl: String(TTL_S),
            urgency: 'high',
          },
          body,
        );
        if (answer.kind !== 'answer') return 'failed';
        if (answer.status === 404 || answer.status === 410) return 'gone';
        return answer.status >= 200 && answer.status < 300 ? 'sent' : 'failed';
      } catch {
        return 'failed'; // keys that are none
      }
    },
  };
}

async function encrypted({ publicKey, auth }: PushDevice, text: Buffer): Promise<Buffer> {
  const { default: ece } = await import('http_ece');
  const own = createECDH('prime256v1');
  own.generateKeys();
  const salt = randomBytes(16).toString('base64url');
  return ece.encrypt(text, { version: 'aes128gcm', dh: publicKey, privateKey: own, salt, authSecret: auth });
}
