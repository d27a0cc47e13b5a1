import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { type Client, createHashQueue, knownUser } from './hash-queue.ts';

/** Shortest and longest password, in characters (Unicode code points). */
export const passwordLength = { min: 12, max: 256 } as const;

/** OWASP Password Storage Cheat Sheet: Argon2id, 19 MiB, two passes, one lane; about 30 ms of an office server. */
const cost = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 } as const;
const SALT_BYTES = 16;

/** Each hash takes 19 MiB and a core. */
const queueLimits = { running: 2, waiting: 200 } as const;

const derive = promisify(argon2);

export type Passwords = ReturnType<typeof createPasswords>;

/**
 * Argon2id hashes of passwords, as PHC strings. `client`, `user`: who waits for it.
 * @throws Refusal 503 if too many wait.
 */
export function createPasswords() {
  const queue = createHashQueue(queueLimits);
  const unknownUser = encode(randomBytes(SALT_BYTES), randomBytes(cost.tagLength));

  async function tagOf(
    password: string,
    nonce: Buffer,
    parameters: typeof cost | Cost,
    client: Client,
  ): Promise<Buffer> {
    // The same characters can be typed as different code points: NIST SP 800-63B, 3.1.1.2.
    const message = Buffer.from(password.normalize('NFKC'));
    return queue(client, () => derive('argon2id', { message, nonce, ...parameters }));
  }

  return {
    async hash(password: string, user: string = ''): Promise<string> {
      const salt = randomBytes(SALT_BYTES);
      return encode(salt, await tagOf(password, salt, cost, knownUser(user)));
    },
    /** False for a null `stored` (an unknown user), after the same time as for a wrong password. */
    async verify(password: string, stored: string | null, client: Client = knownUser('')): Promise<boolean> {
      const { salt, tag, ...parameters } = decode(stored ?? unknownUser);
      const same = timingSafeEqual(await tagOf(password, salt, parameters, client), tag);
      return same && stored !== null;
    },
  };
}

type Cost = { memory: number; passes: number; parallelism: number; tagLength: number };

const base64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');

function encode(salt: Buffer, tag: Buffer): string {
  const { memory, passes, parallelism } = cost;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(tag)}`;
}

/** Includes the cost at which the hash was made, so that hashes stay valid when the cost is raised. */
function decode(stored: string): Cost & { salt: Buffer; tag: Buffer } {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(stored);
  if (match === null) throw new Error('a stored password is not an Argon2id hash');
  const [memory, passes, parallelism] = match.slice(1, 4).map(Number) as [number, number, number];
  const [salt, tag] = match.slice(4).map((text) => Buffer.from(text, 'base64')) as [Buffer, Buffer];
  return { memory, passes, parallelism, tagLength: tag.length, salt, tag };
}
