import { dirname } from 'node:path';
import { agiSection } from './agi-section.ts';
import { amiSection } from './ami-section.ts';
import { isUnset, lookUp, requiredSettings } from './env.ts';
import { type Instance, nameOf, readInstances } from './instances.ts';
import { statusSection } from './outbox-section.ts';
import type { Environment } from './variable.ts';

/**
 * The other bridges of this machine. None for settings without a file: no unit reads them.
 * @throws ConfigError if their settings cannot be read.
 */
export function otherBridges({ ENV_FILE }: Environment): Instance[] {
  if (ENV_FILE === undefined) return [];
  return readInstances(dirname(ENV_FILE)).filter(({ name }) => name !== nameOf(ENV_FILE));
}

/** Those that run, or would. The package installs settings for one that may never be filled in. */
export const areSetUp = (bridges: readonly Instance[]): Instance[] =>
  bridges.filter(({ environment }) => !isUnset(requiredSettings, environment));

/** Those that see the same calls. */
export const onSamePbx = (environment: Environment, bridges: readonly Instance[]): Instance[] =>
  areSetUp(bridges).filter((it) => pbxOf(it.environment) === pbxOf(environment));

function pbxOf(environment: Environment): string {
  const [host, port] = (['AMI_HOST', 'AMI_PORT'] as const).map(
    (name) => amiSection.shape[name].safeParse(lookUp(name, environment).text).data,
  );
  return `${addressOf(host)}:${port}`;
}

const addressOf = <Host>(host: Host) => (host === 'localhost' ? '127.0.0.1' : host);

/** The settings that name a port to listen on. */
const listenSettings = {
  AGI_LISTEN: agiSection.shape.AGI_LISTEN,
  STATUS_LISTEN: statusSection.shape.STATUS_LISTEN,
} as const;
type ListenSetting = keyof typeof listenSettings;
const listenNames = Object.keys(listenSettings) as ListenSetting[];

type Listen = { readonly host: string; readonly port: number };

/** Where a bridge with these settings listens; undefined if it does not, or if the setting is not valid. */
export function listenOf(setting: ListenSetting, environment: Environment): Listen | undefined {
  return listenSettings[setting].safeParse(lookUp(setting, environment).text).data;
}

type UsedPort = Listen & { readonly setting: ListenSetting; readonly by: Instance };

/** The fixed ports of these bridges. */
function usedPorts(bridges: readonly Instance[]): UsedPort[] {
  return bridges.flatMap((by) =>
    listenNames.flatMap((setting) => {
      const listen = listenOf(setting, by.environment);
      return listen === undefined || listen.port === 0 ? [] : { ...listen, setting, by };
    }),
  );
}

/** Whether two programs can not both listen there. */
function isSamePort(a: Listen, b: Listen): boolean {
  const [one, other] = [a, b].map(({ host }) => addressOf(host));
  const isAny = (host: string | undefined) => host === '0.0.0.0' || host === '::';
  return a.port === b.port && (one === other || isAny(one) || isAny(other));
}

type SharedPort = { readonly setting: ListenSetting; readonly address: string; readonly by: UsedPort };

/** Each port that another bridge has, too. */
export function sharedPorts(environment: Environment, others: readonly Instance[]): SharedPort[] {
  const used = usedPorts(areSetUp(others));
  return listenNames.flatMap((setting) => {
    const listen = listenOf(setting, environment);
    const by = listen && used.find((it) => isSamePort(it, listen));
    return listen && by ? { setting, address: `${listen.host}:${listen.port}`, by } : [];
  });
}

/**
 * Addresses for a new bridge that no other one has and that nothing listens on, from those of `base` on; none for what is off.
 * @param tryListen the code of the error, undefined if the port is free.
 */
export async function freeAddresses(
  base: Environment,
  others: readonly Instance[],
  tryListen: (listen: Listen) => Promise<string | undefined>,
): Promise<[ListenSetting, string][]> {
  const used: Listen[] = usedPorts(others);
  const addresses: [ListenSetting, string][] = [];
  for (const setting of listenNames) {
    let listen = listenOf(setting, base);
    if (listen === undefined || listen.port === 0) continue;
    const isTaken = async (it: Listen) =>
      used.some((other) => isSamePort(it, other)) || (await tryListen(it)) === 'EADDRINUSE';
    while (await isTaken(listen)) listen = { ...listen, port: listen.port + 1 };
    used.push(listen);
    const host = listen.host.includes(':') ? `[${listen.host}]` : listen.host;
    addresses.push([setting, `${host}:${listen.port}`]);
  }
  return addresses;
}
