import type { Inspection } from '../../bridge/ami/inspection.ts';
import { extensionOf } from '../../bridge/calls/channel-name.ts';
import { deviceExtension, readDeviceName } from '../../bridge/calls/device-name.ts';
import type { Rules } from '../../bridge/calls/rules.ts';
import { count } from '../text/format-text.ts';
import { channelOf } from '../text/trunk-text.ts';
import { type Finding, warning } from './finding.ts';
import { linesOf } from './trunk-findings.ts';

/** Longer ones are numbers that phones show outside, not extensions. */
const LONGEST_EXTENSION = 6;
const MOST_NAMED = 10;
/** What programs put before an extension for a second device of it: FreePBX's user panel and softphones. */
const usualPrefixes: ReadonlySet<string> = new Set(['90', '98', '99']);

type Phone = {
  /** `PJSIP/1001`. */
  readonly endpoint: string;
  readonly device: string;
  /** What would be reported without DEVICE_NAMES. */
  readonly told: string;
  /** What is reported. */
  readonly now: string;
  /** As far as it is known. */
  readonly extension: string | undefined;
};

/** Proposes DEVICE_NAMES for phones that would be reported by another name than their extension. */
export function deviceFindings(inspection: Pick<Inspection, 'endpoints'>, rules: Rules): Finding[] {
  const phones = phonesOf(inspection, rules);
  const entryFor = entryFinder(phones);
  const proposed = phones.flatMap((phone) => {
    const { told, now, extension } = phone;
    const isMissing = now === told && extension !== undefined && extension !== told;
    const entry = isMissing ? entryFor(phone, extension) : undefined;
    return entry === undefined ? [] : [{ endpoint: phone.endpoint, entry }];
  });
  if (proposed.length === 0) return [];
  // The first that fits counts: a pattern must not come before a name.
  const isPattern = (entry: string) => Number(entry.includes('*'));
  const entries = [...new Set(proposed.map(({ entry }) => entry))].sort(
    (a, b) => isPattern(a) - isPattern(b),
  );
  const named = proposed
    .slice(0, 3)
    .map(({ endpoint }) => endpoint)
    .join(', ');
  const all = [...rules.deviceNames.map(({ text }) => text), ...entries.slice(0, MOST_NAMED)].join(',');
  const more = entries.length - MOST_NAMED;
  return [
    warning(
      'who answers, by their devices',
      `${count(proposed.length, 'device')} would be reported by a name that is not their extension: ${named}`,
      `Set DEVICE_NAMES=${all}, ${more > 0 ? `and ${more} more entries, ` : ''}if these are the same people${rules.answeredBy === 'endpoint' ? ', or ANSWERED_BY=callerid' : ''}.`,
    ),
  ];
}

function phonesOf(inspection: Pick<Inspection, 'endpoints'>, rules: Rules): Phone[] {
  const lines = linesOf(inspection).filter(
    ({ name, context }) => !rules.contextIsInbound(context) && !rules.nameIsInbound(channelOf(name)),
  );
  const names = new Set(lines.map(({ name }) => deviceName(name)));
  return lines.map(({ name: endpoint, callerNumber }) => {
    const device = deviceName(endpoint);
    const told = rules.answeredBy === 'callerid' && callerNumber !== '' ? callerNumber : device;
    const extension = isExtensionOf(device, callerNumber) ? callerNumber : ofAnother(device, names);
    return { endpoint, device, told, now: rules.extension(told, channelOf(endpoint)), extension };
  });
}

const deviceName = (endpoint: string): string => extensionOf(channelOf(endpoint));

/** A phone whose name is another number shows that of a group, say. */
function isExtensionOf(device: string, callerNumber: string): boolean {
  const isShort = /^\d+$/.test(callerNumber) && callerNumber.length <= LONGEST_EXTENSION;
  return isShort && (/\D/.test(device) || device.endsWith(callerNumber));
}

/** The extension with a phone of its own whose name this device's name has in it; undefined if there is none. */
function ofAnother(device: string, names: ReadonlySet<string>): string | undefined {
  const [, letters = '', middle = '', behind = ''] = /^(\D*)(\d{2,})(\D.*)?$/.exec(device) ?? [];
  if (letters + behind !== '') return names.has(middle) ? middle : undefined;
  const rest = device.slice(2);
  return usualPrefixes.has(device.slice(0, 2)) && rest.length >= 2 && names.has(rest) ? rest : undefined;
}

/**
 * Finds the entry of DEVICE_NAMES that makes a phone's extension of it, and of every other phone what it is now or its own
 * extension: for all of its kind if there may be more, else for this name or endpoint.
 */
function entryFinder(phones: readonly Phone[]) {
  const harmless = new Map<string, boolean>();
  return ({ device, endpoint, told }: Phone, extension: string): string | undefined => {
    const candidates = [
      ...patternsFor(device, extension),
      `${device}=${extension}`,
      `${endpoint}=${extension}`,
    ];
    return candidates.find((text) => {
      const entry = readDeviceName(text);
      if (entry === undefined || deviceExtension([entry], told, endpoint) !== extension) return false;
      return harmless.getOrInsertComputed(text, () =>
        phones.every((one) => isRight(one, deviceExtension([entry], one.told, one.endpoint))),
      );
    });
  };
}

/** True if the phone may be reported so: an entry that is set already comes first. */
const isRight = ({ told, now, extension }: Phone, by: string): boolean =>
  now !== told || by === told || by === extension;

function patternsFor(device: string, extension: string): string[] {
  if (device.endsWith(extension)) return [`${device.slice(0, -extension.length)}*=*`];
  return device.startsWith(extension) ? [`*${device.slice(extension.length)}=*`] : [];
}
