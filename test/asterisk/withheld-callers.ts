import type { FarEnd } from './far-end.ts';
import type { PortBlock } from './ports.ts';
import type { Script } from './sip-script.ts';
import { startSipp } from './sipp.ts';

/** Where the nth bridge answers lookups. */
export const agiPort = (ports: PortBlock, nth: number) => ports.at(ports.room - 1 - nth);

/** Somebody who withholds a number of these digits, which the trunk shows to the PBX. */
export const withholding = (digits: string, name: string) => ({
  ...{ from: 'anonymous', name },
  headers: [
    ...['X-Trunk: yes', 'Privacy: id'],
    `P-Asserted-Identity: ${name === '' ? '' : `"${name}" `}<sip:+${digits}[call_number]@127.0.0.1>`,
  ],
});

/** What reached the API of these digits. */
export function numbersAt({ farSide }: FarEnd, digits: string): { events: number; lookups: number } {
  const seen = farSide.requests().filter(({ payload }) => JSON.stringify(payload).includes(digits));
  const events = seen.filter(({ path }) => path === '/voice/call').length;
  return { events, lookups: seen.length - events };
}

/** Places so many calls from a port; gives what sipp found wrong when all are over. */
export async function placeCalls(options: {
  readonly script: Script;
  readonly port: number;
  /** Asterisk's. */
  readonly to: number;
  readonly times: { readonly calls: number; readonly atOnce: number };
}): Promise<string> {
  const { to, ...rest } = options;
  const end = await startSipp({ ...rest, calls: to });
  await end.ended;
  const complaints = await end.complaints();
  await end.close();
  return complaints;
}
