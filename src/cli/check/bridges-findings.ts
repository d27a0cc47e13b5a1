import type { JournalEntry } from '../../bridge/calls/effect.ts';
import { channelMatcher } from '../../bridge/calls/glob.ts';
import type { CallFacts } from '../../bridge/calls/report-rules.ts';
import type { Reader } from '../../bridge/outbox/reader.ts';
import { normaliseNumber } from '../../shared/phone-number/normalise-number.ts';
import { parseJson } from '../../shared/process/parse-json.ts';
import { apiSection } from '../config/api-section.ts';
import { callsSection } from '../config/calls-section.ts';
import { loadConfig, lookUp } from '../config/env.ts';
import { type Instance, instancePaths, nameOf } from '../config/instances.ts';
import { areSetUp, onSamePbx, otherBridges, sharedPorts } from '../config/other-bridges.ts';
import { outboxSection } from '../config/outbox-section.ts';
import { ConfigError, type Environment } from '../config/variable.ts';
import { type Finding, failed, warning } from './finding.ts';
import { ruleFindings, sampleOf } from './rule-findings.ts';

/** Most calls that are compared with the rules. */
const mostCalls = 5_000;

/** Asks the state folder of a bridge; undefined if it cannot be read. */
type Read = <T>(stateDir: string, question: (reader: Reader) => T) => Promise<T | undefined>;

/** What this bridge and the others of the machine must not share, and the calls that several or none of them report. */
export async function bridgesFindings(own: Environment, read: Read): Promise<Finding[]> {
  try {
    const others = areSetUp(otherBridges(own));
    return [...sharedFindings(own, others), ...(await callFindings(own, others, read))];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.lines.map((line) => warning('other bridges', line, 'Correct it there.'));
  }
}

function sharedFindings(own: Environment, others: readonly Instance[]): Finding[] {
  const ports = sharedPorts(own, others).map(({ setting, address, by }) =>
    failed(
      `${setting} ${address}`,
      `also ${by.setting} of ${by.by.file}`,
      'Give each bridge a port of its own.',
    ),
  );
  const token = (environment: Environment) => lookUp('API_TOKEN', environment).text;
  const sameToken = others.find(({ environment }) => token(environment) === token(own));
  if (sameToken === undefined) return ports;
  const what = `also that of ${sameToken.name}: both report to the same account`;
  return [...ports, warning('API_TOKEN', what, 'Give each bridge the token of a phone system of its own.')];
}

async function callFindings(own: Environment, others: readonly Instance[], read: Read): Promise<Finding[]> {
  const { ENV_FILE = '' } = own;
  const all = [{ name: nameOf(ENV_FILE), environment: own }, ...onSamePbx(own, others)];
  const here = all.map(({ name, environment: settings }) => {
    const environment = { ...instancePaths(name, own), ...settings };
    const { calls, outbox } = loadConfig({ calls: callsSection, outbox: outboxSection }, environment);
    return { name, ...calls, stateDir: outbox.stateDir };
  });
  if (here.length < 2) return [];
  const calls = new Map<string, CallFacts>();
  for (const { stateDir, defaultCountry } of here) {
    const lines = (await read(stateDir, (reader) => reader.newestJournal('"appeared"', mostCalls))) ?? [];
    for (const line of lines) {
      const { uniqueid, linkedid, number = '', kind, event } = parseJson(line) as JournalEntry;
      // A leg, or a call of a phone.
      if (kind !== 'appeared' || linkedid !== uniqueid || event.code !== 'appeared') continue;
      const { exten: called, channel } = event;
      if (called !== '')
        calls.set(uniqueid, { called, channel, caller: normaliseNumber(number, defaultCountry) });
    }
  }
  return [...ruleFindings(here, [...calls.values()]), ...callBackFindings(all)];
}

/** The bridges of one PBX that tell of the same phones' calls. */
function callBackFindings(bridges: readonly Pick<Instance, 'name' | 'environment'>[]): Finding[] {
  const telling = bridges.flatMap(({ name, environment }) => {
    const { text = '' } = lookUp('CALL_BACKS', environment);
    const { data } = apiSection.shape.CALL_BACKS.safeParse(text);
    return data === undefined ? [] : [{ named: `${name} (${text})`, globs: data === 'all' ? ['*'] : data }];
  });
  return telling.flatMap((one, nth) =>
    telling.slice(nth + 1).flatMap((other) => {
      if (!haveInCommon(one.globs, other.globs) && !haveInCommon(other.globs, one.globs)) return [];
      return [
        warning(
          'CALL_BACKS',
          `calls of some phones are told by ${one.named} and ${other.named}`,
          "Name each firm's extensions only: each bridge tells an account of its own.",
        ),
      ];
    }),
  );
}

/** Whether an extension as one list writes it is in the other one. */
const haveInCommon = (globs: readonly string[], others: readonly string[]): boolean =>
  globs.map((glob) => sampleOf(glob) || '1').some(channelMatcher(others));
