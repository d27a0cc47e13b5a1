import type { Clock } from '../../shared/process/clock.ts';
import type { Input, Snapshot } from '../calls/input.ts';
import { longestUniqueid } from '../cdr/cdr-source.ts';
import { type Connection, openConnection } from './connection.ts';
import { hasLinkedid, toInput } from './events.ts';
import type { AmiFailure } from './failure.ts';
import { readGuestContext } from './guest-context.ts';
import type { AmiLinkOptions } from './link.ts';
import { createCounters } from './link-log.ts';
import { pause } from './pause.ts';
import { ConnectionEnded } from './pending-requests.ts';
import { isYes } from './record-options.ts';
import { readContexts, readDevices, readOption, readSnapshot, readVariable } from './snapshot.ts';
import { type Fields, fieldKey } from './wire/frame.ts';
import type { Response } from './wire/manager.ts';

/** What an inspection of a PBX found. `undefined`: Asterisk refused to answer, or did not answer. */
export type Inspection = {
  readonly version: string | undefined;
  /** How far Asterisk's clock is ahead of ours, ms. */
  readonly clockAheadMs: number | undefined;
  /** Write classes that the manager user has beyond what the bridge needs, with an action of each. */
  readonly extraRights: readonly { readonly right: string; readonly action: string }[] | undefined;
  /** Contexts of the dialplan. */
  readonly contexts: readonly string[] | undefined;
  /** Phones and trunks, such as `PJSIP/1001`, with the context in which their calls begin; '' if it is unknown. */
  readonly endpoints: readonly {
    readonly name: string;
    readonly context: string;
    /** PJSIP's `trust_id_inbound`: whether it accepts the caller's number from P-Asserted-Identity; undefined if unknown. */
    readonly trustsIdentity: boolean | undefined;
    /** Whether PJSIP takes calls for its own by the user in From, without a password; absent if unknown. */
    readonly isFoundByName?: boolean | undefined;
    /** The number of its caller id; '' if it has none, or that is unknown. */
    readonly callerNumber: string;
  }[];
  /** The context of chan_sip's guests; '' if it lets none in. */
  readonly guestContext: string;
  /** True if Asterisk holds call records back and writes many at once. */
  readonly holdsRecords: boolean;
  /** How long the uniqueids of the PBX can be. */
  readonly uniqueidLength: number;
  /** Uniqueids of the first and of the last snapshot. */
  readonly channelsBefore: readonly string[];
  readonly channelsAfter: readonly string[];
  /** Call events received between the two snapshots. */
  readonly events: readonly Input[];
  /** True if channels came up, and the events did not say which calls they belong to. */
  readonly lacksLinkedid: boolean;
  /** How many channels were put into a bridge between the two snapshots, and no BridgeEnter said so. */
  readonly unseenBridges: number;
  /** Actions that were not answered in time. */
  readonly unanswered: readonly string[];
};

export type InspectionResult =
  | { readonly ok: true; readonly inspection: Inspection }
  | { readonly ok: false; readonly failure: AmiFailure };

const deadlineMs = 5_000;
/** How long a BridgeEnter may take, ms: Asterisk sends it at once. */
const BRIDGE_EVENT_MS = 1_000;
/** A big FreePBX has 30,000 lines of dialplan. */
const patient = { limits: { deadlineMs: 15_000, longestMs: 60_000 } };

type InspectionTools = {
  readonly clock: Clock;
  readonly onInput?: (input: Input) => void;
  readonly signal?: AbortSignal | undefined;
};

/** What came over the connection, besides answers. */
type Heard = { readonly events: Input[]; readonly unanswered: Set<string>; lacksLinkedid: boolean };

/**
 * Logs in, reads what the PBX has and what its user may do, listens for `listenMs`, and logs off. Changes nothing.
 * @see https://docs.asterisk.org/Latest_API/API_Documentation/AMI_Actions/ for the classes of ShowDialPlan,
 * DeviceStateList, SIPpeers, Getvar (all `reporting`) and ListCommands (none), and Ping's Timestamp.
 */
export async function inspectPbx(
  options: AmiLinkOptions,
  listenMs: number,
  { clock, onInput = () => {}, signal }: InspectionTools,
): Promise<InspectionResult> {
  const heard: Heard = { events: [], unanswered: new Set(), lacksLinkedid: false };
  const ended = Promise.withResolvers<AmiFailure>();
  const opened = await openConnection(
    { ...options, connectDeadlineMs: deadlineMs, answerDeadlineMs: deadlineMs },
    {
      onCallEvent(event, fields, at) {
        if (event === 'Newchannel' && !hasLinkedid(fields)) heard.lacksLinkedid = true;
        const input = toInput(event, fields, at);
        if (input === undefined) return;
        heard.events.push(input);
        onInput(input);
      },
      onEnd: ended.resolve,
      onTooLong: () => {},
      onUnanswered: (action) => heard.unanswered.add(action),
    },
    { clock, counters: createCounters(), signal },
  );
  if (!opened.ok) return opened;
  const { connection } = opened;
  try {
    const inspecting = inspect(connection, heard, listenMs, { clock, signal });
    const inspection = await Promise.race([inspecting, ended.promise.then(failWith)]);
    connection.close();
    return { ok: true, inspection };
  } catch (error) {
    if (error instanceof ConnectionEnded) return { ok: false, failure: error.failure };
    throw error;
  }
}

async function inspect(
  connection: Connection,
  heard: Heard,
  listenMs: number,
  tools: InspectionTools,
): Promise<Inspection> {
  const { clock, signal } = tools;
  const { now } = clock;
  const before = await readSnapshot(connection, now);
  const asked = now();
  const pong = await connection.request({ action: 'Ping' });
  const answered = now();
  const [settings, commands, contexts, endpoints, guestContext, batch] = await Promise.all([
    connection.request({ action: 'CoreSettings' }),
    connection.request({ action: 'ListCommands' }),
    readDialplanContexts(connection),
    readEndpoints(connection),
    readGuestContext(connection),
    readVariable(connection, 'AST_CONFIG(cdr.conf,general,batch)'),
  ]);
  await pause(listenMs, clock, signal);
  const after = await readSnapshot(connection, now);
  // A BridgeEnter may be on the way.
  if (unseenBridges(before, after, heard.events) > 0) await pause(BRIDGE_EVENT_MS, clock, signal);
  return {
    version: settings.fields.get('AsteriskVersion')?.replace(/[+~].*/, ''),
    clockAheadMs: clockAhead(pong.fields.get('Timestamp'), (asked + answered) / 2),
    extraRights: extraRights(commands),
    contexts,
    endpoints,
    // Only chan_sip has SIPpeers.
    guestContext: commands.fields.has('SIPpeers') ? guestContext : '',
    holdsRecords: isYes(batch),
    uniqueidLength: longestUniqueid(settings.fields.get('SystemName') ?? ''),
    channelsBefore: uniqueidsOf(before),
    channelsAfter: uniqueidsOf(after),
    events: heard.events,
    lacksLinkedid: heard.lacksLinkedid,
    unseenBridges: unseenBridges(before, after, heard.events),
    unanswered: [...heard.unanswered].sort(),
  };
}

async function readEndpoints(connection: Connection): Promise<Inspection['endpoints']> {
  const devices = await readDevices(connection);
  const contexts = new Map(await readContexts(connection, devices));
  return Promise.all(
    devices.map(async (name) => {
      const isPjsip = name.startsWith('PJSIP/');
      const read = (option: string) => (isPjsip ? readOption(connection, name, option) : '');
      const [trusts, identifyBy, auth] = await Promise.all(
        ['trust_id_inbound', 'identify_by', 'auth'].map(read),
      );
      return {
        name,
        context: contexts.get(name) ?? '',
        trustsIdentity: trusts ? isYes(trusts) : undefined,
        isFoundByName: identifyBy ? identifyBy.split(',').includes('username') && auth === '' : undefined,
        callerNumber: await readCallerNumber(connection, name),
      };
    }),
  );
}

/** PJSIP has name and number in one option: `"Anna" <1001>`. */
async function readCallerNumber(connection: Connection, endpoint: string): Promise<string> {
  const isPjsip = endpoint.startsWith('PJSIP/');
  const text = await readOption(connection, endpoint, isPjsip ? 'callerid' : 'callerid_num');
  return /<([^<>]*)>$/.exec(text)?.[1] ?? (/^\+?\d+$/.test(text) ? text : '');
}

async function readDialplanContexts(connection: Connection): Promise<Inspection['contexts']> {
  const contexts = new Set<string>();
  const key = fieldKey('Context');
  const list = await connection.list(
    {
      action: { action: 'ShowDialPlan' },
      item: 'ListDialplan',
      last: 'ShowDialPlanComplete',
      read: (fields: Fields): undefined => void contexts.add(fields(key) ?? ''),
    },
    patient,
  );
  return list.ok ? [...contexts].filter((context) => context !== '').sort() : undefined;
}

function uniqueidsOf({ channels }: Snapshot): string[] {
  return channels.map(({ uniqueid }) => uniqueid);
}

/** How many channels a snapshot has in a bridge in which they were not before, and into which no event has put them. */
function unseenBridges(before: Snapshot, after: Snapshot, events: readonly Input[]): number {
  const bridgesBefore = new Map(before.channels.map(({ uniqueid, bridge }) => [uniqueid, bridge]));
  const seen = new Set(
    events.flatMap((input) => (input.type === 'bridge-entered' ? `${input.uniqueid} ${input.bridge}` : [])),
  );
  return after.channels.filter(
    ({ uniqueid, bridge }) =>
      bridge !== '' && bridgesBefore.get(uniqueid) !== bridge && !seen.has(`${uniqueid} ${bridge}`),
  ).length;
}

function failWith(failure: AmiFailure): never {
  throw new ConnectionEnded(failure);
}

/** Ping's answer has Asterisk's time, `1763600000.123456`. */
function clockAhead(timestamp: string | undefined, now: number): number | undefined {
  const theirs = Number(timestamp) * 1000;
  return theirs > 1e12 ? Math.round(theirs - now) : undefined;
}

/** Write classes that a stolen secret could abuse, each with an action that requires it. */
const harmful = [
  ['originate', 'Originate'],
  ['command', 'Command'],
  ['config', 'UpdateConfig'],
  ['system', 'DBPut'],
  ['call', 'Redirect'],
  ['agent', 'QueueAdd'],
  ['user', 'UserEvent'],
] as const;

/** ListCommands lists only the actions that the user may use; Asterisk 16 to 23 do so. */
function extraRights({ response, fields }: Response): Inspection['extraRights'] {
  if (response !== 'Success') return undefined;
  return harmful.filter(([, action]) => fields.has(action)).map(([right, action]) => ({ right, action }));
}
