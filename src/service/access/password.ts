import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { Refusal } from '../http/refusal.ts';

/** Shortest and longest password, in characters (Unicode code points). */
export const passwordLength = { min: 12, max: 256 } as const;

/** OWASP Password Storage Cheat Sheet: Argon2id, 19 MiB, two passes, one lane; about 30 ms of an office server. */
const cost = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 } as const;
const SALT_BYTES = 16;

/** Each hash takes 19 MiB and a core. */
const MAX_RUNNING = 2;
const MAX_WAITING = 50;

const derive = promisify(argon2);

/** Argon2id hashes of passwords, as PHC strings. */
export type Passwords = {
  hash(password: string): Promise<string>;
  /** False for a null `stored` (an unknown user), after the same time as for a wrong password. */
  verify(password: string, stored: string | null): Promise<boolean>;
};

export function makePasswords(): Passwords {
  const limited = concurrencyLimiter();
  const unknownUser = encode(randomBytes(SALT_BYTES), randomBytes(cost.tagLength));

  async function tagOf(password: string, nonce: Buffer, parameters: typeof cost | Cost): Promise<Buffer> {
    // The same characters can be typed as different code points: NIST SP 800-63B, 3.1.1.2.
    const message = Buffer.from(password.normalize('NFKC'));
    return limited(() => derive('argon2id', { message, nonce, ...parameters }));
  }

  return {
    async hash(password) {
      const salt = randomBytes(SALT_BYTES);
      return encode(salt, await tagOf(password, salt, cost));
    },
    async verify(password, stored) {
      const { salt, tag, ...parameters } = decode(stored ?? unknownUser);
      const same = timingSafeEqual(await tagOf(password, salt, parameters), tag);
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

/** Runs up to `MAX_RUNNING` jobs at once; further ones wait, and beyond `MAX_WAITING` they are refused. */
function concurrencyLimiter() {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (waiting.length >= MAX_WAITING)
      throw new Refusal(503, 'Too many people are signing in at the moment. Try again.');
    if (running >= MAX_RUNNING) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
