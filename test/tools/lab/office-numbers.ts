import { mobilePort, type Office } from './offices.ts';
import type { PortBlock } from './ports.ts';

/** The phone that shows another number than its own when it is called or calls: the office's reception. */
export const receptionPhone = 5;
export function receptionNumber(office: Office): string {
  return `${office.number}80`;
}

/** The office's mobile: a fictional number (Bundesnetzagentur's numbers for film and television). */
export function mobileNumber(office: Office): string {
  return `+4917139200${office.number}1`;
}

/** The office's mobile, over the trunk, as Dial and Originate take it. */
export function mobileDialString(ports: PortBlock, office: Office): string {
  return `PJSIP/trunk/sip:${mobileNumber(office)}@127.0.0.1:${mobilePort(ports, office)}`;
}

/** The mobile's number in a dialplan, for the office in its variable O. */
export const mobilePattern = '+4917139200{O}1';
