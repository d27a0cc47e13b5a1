import type { TestContext } from 'node:test';
import type { startReceivers } from './alert-receivers.ts';

export type Receivers = Awaited<ReturnType<typeof startReceivers>>;

/** This machine cannot have such a problem; the test says why. */
export class Impossible extends Error {}

/** @param impossible why it cannot; undefined if it can. */
export function needs(impossible: string | undefined): void {
  if (impossible !== undefined) throw new Impossible(impossible);
}

/** Causes a problem for real; what it needs is gone after the test. */
export type Cause = (t: TestContext, to: Receivers) => Promise<void>;

/** The settings that send a bridge's alerts to the receivers, a second after it began. */
export const alertSettings = ({ mail, hook }: Receivers) => ({
  SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
  MAIL_FROM: 'pbx@example.com',
  ALERT_MAIL: 'ops@example.com',
  ALERT_WEBHOOK: hook.url,
  ALERT_AFTER: '1s',
});

/** The same as options of a service. */
export const alertOptions = ({ mail, hook }: Receivers) => ({
  mail: {
    host: '127.0.0.1',
    port: mail.port,
    secure: false,
    login: undefined,
    from: 'service@example.com',
  },
  alerts: { mail: ['ops@example.com'], webhook: hook.url, afterMs: 1_000, everyMs: 100 },
  hosts: ['calls.example.com'],
});
