import { type Layout, layoutOf } from '../../../src/bridge/ami/wire/layout.ts';

type Values = Readonly<Record<string, string | undefined>>;

/** What Asterisk writes where a test says nothing; '' where it writes nothing. */
const usual: Values = {
  Privilege: 'call,all',
  ChannelState: '4',
  ChannelStateDesc: 'Ring',
  CallerIDNum: '<unknown>',
  CallerIDName: '<unknown>',
  ConnectedLineNum: '<unknown>',
  ConnectedLineName: '<unknown>',
  Language: 'en',
  AccountCode: '',
  Context: 'from-trunk',
  Exten: 's',
  Priority: '1',
  BridgeType: 'basic',
  BridgeTechnology: 'simple_bridge',
  BridgeCreator: '<unknown>',
  BridgeName: '<unknown>',
  BridgeNumChannels: '1',
  BridgeVideoSourceMode: 'none',
  Cause: '16',
};

/**
 * An event as Asterisk writes it, without its blank line: all its lines, in order. Values may have line breaks. A key whose
 * value is undefined is left out, as are those that only some events have; keys of no layout come last.
 */
export function amiEvent(event: string, values: Values): string {
  // Of the ways in which Asterisk writes it, the shortest that has all these keys.
  const layout = (layoutOf(event)?.layouts ?? [[{ key: 'Event' }, { key: 'Privilege' }]]).reduce(
    (one, other) =>
      Object.keys(values).some((key) => hasKey(one, key) && !hasKey(other, key)) ? one : other,
  );
  const keys = new Set(layout.map(({ key }) => key));
  const lines = layout.flatMap(({ key, ...line }, nth) => {
    // The ActionID is at the beginning or at the end.
    if (layout.findIndex((each) => each.key === key) < nth) return [];
    if (key === 'Event') return `Event: ${event}`;
    // Answers have an ActionID instead.
    const isLeftOut = key === 'Privilege' && values.ActionID !== undefined;
    const value = Object.hasOwn(values, key) ? values[key] : usual[key.replace(/^Dest/, '')];
    if (value !== undefined) return isLeftOut ? [] : `${key}: ${value}`;
    return Object.hasOwn(values, key) || 'optional' in line ? [] : `${key}: `;
  });
  const others = Object.entries(values).flatMap(([key, value]) =>
    keys.has(key) || value === undefined ? [] : `${key}: ${value}`,
  );
  return [...lines, ...others].join('\r\n');
}

function hasKey(layout: Layout, key: string): boolean {
  return layout.some((line) => line.key === key);
}
