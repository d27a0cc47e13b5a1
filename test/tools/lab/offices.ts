import { LabLimit, type PortBlock } from './ports.ts';

/** How many rows of the matrix can play at once. Each has an office of its own: phones, group, queue, mailbox. */
export const officeCount = 8;
/** Phones in an office; the last has no registration. */
export const phonesPerOffice = 6;
/** Calls that can be placed in a row. */
const callersPerOffice = 4;

/**
 * An office of the lab's PBX. Office 1 has the extensions 1001 to 1006, office 2 2001 to 2006, and so on, so that
 * a row looks the same wherever it is played, but for the first digit.
 */
export type Office = {
  /** 1 to `officeCount`. */
  readonly number: number;
  /** The extension of the office's nth phone (from 1): `1001`. */
  extension(nth: number): string;
  /** Those of all its phones. */
  readonly extensions: readonly string[];
};

export function office(number: number): Office {
  const extension = (nth: number) => `${number}00${nth}`;
  const extensions = Array.from({ length: phonesPerOffice }, (_, i) => extension(i + 1));
  return { number, extension, extensions };
}

/** Where the nth phone of an office listens. */
export function phonePort(ports: PortBlock, of: Office, nth: number): number {
  if (nth > phonesPerOffice)
    throw new LabLimit(`an office has ${phonesPerOffice} phones: there is no phone ${nth}`);
  return ports.at((of.number - 1) * portsPerOffice + nth - 1);
}

/** Where the office's mobile is reached over the trunk. */
export function mobilePort(ports: PortBlock, of: Office): number {
  return ports.at((of.number - 1) * portsPerOffice + phonesPerOffice);
}

/** Ports of those who call: one caller each, the `nth` of them, from 0. */
export function callerPort(ports: PortBlock, of: Office, nth: number): number {
  if (nth >= callersPerOffice)
    throw new LabLimit(
      `a row has ports for ${callersPerOffice} callers: there is none for caller ${nth + 1}`,
    );
  return ports.at((of.number - 1) * portsPerOffice + phonesPerOffice + 1 + nth);
}

const portsPerOffice = phonesPerOffice + 1 + callersPerOffice;

export const offices: readonly Office[] = Array.from({ length: officeCount }, (_, i) => office(i + 1));
