import { createHash, randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import type { Keys } from '../accounts/keys.ts';
import type { Session, User } from '../accounts/user.ts';
import { latestBegin } from '../rules/time-limit.ts';
import type { CredentialStore } from './credential-store.ts';

const PERIOD_S = 30;
const stepAt = (at: number) => Math.floor(at / 1000 / PERIOD_S);
const RECOVERY_CODES = 10;

export type SecondFactor = ReturnType<typeof createSecondFactor>;

/**
 * Codes that an authenticator app makes every 30 seconds (TOTP, RFC 6238), and recovery codes for when the device is
 * lost. Secrets are derived from the server secret: the database contains none.
 */
export function createSecondFactor(store: CredentialStore, keys: Keys, clock: () => number) {
  const totpOf = ({ uid }: User, factor: string) =>
    // 160 bits, as RFC 4226 recommends.
    new TOTP({ secret: Secret.fromHex(keys.sign('second-factor', `${uid} ${factor}`).slice(0, 40)) });

  /** The last that can have been used by now: its code is accepted one step early. */
  const latestStep = () => stepAt(latestBegin(clock())) + 1;

  /** The time step whose code this is: the current one, or the one before or after, as clocks differ. */
  function stepOf(user: User, factor: string, code: string): number | undefined {
    const now = clock();
    const delta = totpOf(user, factor).validate({
      token: code.replace(/\s/g, ''),
      timestamp: now,
      window: 1,
    });
    return delta === null ? undefined : stepAt(now) + delta;
  }

  return {
    /** A new secret for a user: `factor` is kept when it is switched on, `uri` is for the app, `secret` to be typed. */
    propose(
      user: User,
      account: string,
      given: string = '',
    ): { factor: string; uri: string; secret: string } {
      const factor = isFactor(given) ? given : randomBytes(16).toString('hex');
      const totp = totpOf(user, factor);
      totp.label = user.name;
      totp.issuer = account;
      return { factor, uri: totp.toString(), secret: totp.secret.base32 };
    },
    /** Switches it on for who asks if `code` is right. Returns the recovery codes, which are shown once. @throws ChangeRefused */
    async enable(session: Session, factor: string, code: string): Promise<string[] | undefined> {
      const { user } = session;
      const step = isFactor(factor) ? stepOf(user, factor, code) : undefined;
      if (step === undefined) return undefined;
      const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
      await store.setSecondFactor(user.id, factor, codes.map(hashOf), session);
      await store.useCodeStep(user.id, step, latestStep());
      return codes;
    },
    /** `session`: of the user, if they ask themselves. @throws ChangeRefused */
    disable: ({ id }: Pick<User, 'id'>, session?: Session): Promise<void> =>
      store.setSecondFactor(id, null, [], session),
    /** Uses up a code of the app, or a recovery code; false if it is wrong or was used before. */
    async verify(user: User, code: string): Promise<boolean> {
      if (user.secondFactor === null) return false;
      const step = stepOf(user, user.secondFactor, code);
      return step === undefined
        ? store.useRecoveryCode(user.id, hashOf(code))
        : store.useCodeStep(user.id, step, latestStep());
    },
  };
}

/** What a secret is derived from; it goes through a form. */
const isFactor = (text: string) => /^[0-9a-f]{32}$/.test(text);

/** 80 random bits, as `xxxx-xxxx-xxxx-xxxx` in letters and digits that are not mistaken for each other. */
function newRecoveryCode(): string {
  const text = new Secret({ buffer: new Uint8Array(randomBytes(10)).buffer }).base32.toLowerCase();
  return text.replace(/(.{4})(?=.)/g, '$1-');
}

/** Unsalted: 80 random bits cannot be guessed from their hash. */
function hashOf(code: string): string {
  return createHash('sha256')
    .update(code.toLowerCase().replace(/[^a-z2-7]/g, ''))
    .digest('hex');
}
