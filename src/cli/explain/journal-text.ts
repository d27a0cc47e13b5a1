import { explainedAs } from '../../bridge/calls/decisions.ts';
import type { JournalEntry, NumberSource } from '../../bridge/calls/effect.ts';
import { outcomeOf } from '../../bridge/calls/missed.ts';
import { answererOf } from '../../bridge/calls/open-call.ts';
import { placeText } from '../../bridge/calls/place.ts';
import { channelRuleText } from '../text/channel-rule-text.ts';

/** As 1.0.0 wrote it: the text is the sentence, and there is no event. */
type OldEntry = Omit<JournalEntry, 'event'> & { readonly text: string; readonly event?: undefined };

/** An entry as it is in the journal. */
export type StoredEntry = JournalEntry | OldEntry;

/** The sentence for an entry of the journal. */
export function journalText(entry: StoredEntry): string {
  const { event } = entry;
  if (event === undefined) return entry.text;
  switch (event.code) {
    case 'appeared':
      return appearedText(entry, event);
    case 'dialled-out':
      return 'the PBX dialled this out itself, over the trunk: not a call to us';
    case 'enters-bridge':
      return `the caller enters a bridge, ${event.isAlone ? 'alone' : 'with others'} (${event.technology})`;
    case 'leaves-bridge':
      return 'the caller leaves the bridge';
    case 'presentation-asked':
      return 'asked the PBX whether the caller lets the number be shown';
    case 'presentation': {
      const { presentation } = event;
      return `the PBX says of showing the number: ${presentation === 'unknown' ? 'that it does not know' : presentation}`;
    }
    case 'takes-over':
      return `${event.by} takes over, and talks with the caller`;
    case 'joins':
      return `${event.by} joins: the end names ${event.by}`;
    case 'machine':
      return `${event.channel} answered, but NOT_A_PERSON lists it: no person has answered`;
    case 'paged':
      return `${event.channel} was paged (Page): no person has picked it up`;
    case 'ringing':
      return `ringing, from ${event.from}${sourceText(event)}`;
    case 'answered': {
      const how = event.channel === undefined ? '' : `: ${event.channel} is in a bridge with the caller`;
      return `answered ${answererOf(event.by)}${how}`;
    }
    case 'completed':
      return `completed, ${outcomeOf(event, event.missed)}`;
    case 'decision':
      return `${explainedAs(event.decision)}${event.why}`;
    case 'unreported-record':
      return event.why;
    case 'far-end-replaced': {
      const goesOn = event.continued === undefined ? 'the conversation' : `call ${event.continued}`;
      return `${event.channel} takes the place of ${event.replaced}: the far end has changed, and ${goesOn} goes on`;
    }
    case 'hangup-lost':
      return `${event.channel} is gone from the PBX: its Hangup never came`;
    case 'hung-up':
      return hangUpText(event);
    case 'caller-hung-up':
      return `the caller's channel ${hangUpText(event)}${endText(entry)}`;
    case 'never-rang': {
      const how = event.isDialledOut ? 'it was dialled out over the trunk' : 'it never got as far';
      return `${hangUpText(event)}; it never rang at us: ${how}`;
    }
    case 'sent-again':
      return `${event.status} was confirmed by the API and is not in its history: sent again`;
    default:
      event satisfies never;
      // A newer version may have written it.
      return (event as { readonly code: string }).code;
  }
}

/** The reason in an entry: why the channel is inbound or not, or why its call is not reported. */
export function reasonText(entry: StoredEntry): string {
  const { event } = entry;
  if (event === undefined) return entry.text.replace(/^channel .*?: /, '');
  return event.code === 'appeared' ? ruleText(entry, event) : journalText(entry);
}

/** True for the end of a call that nobody answered. */
export function isMissedEnd(entry: StoredEntry): boolean {
  const { event } = entry;
  if (event === undefined) return entry.kind === 'reported' && entry.text.startsWith('completed, missed');
  return event.code === 'completed' && event.answer === undefined && event.missed !== undefined;
}

type Appeared = Extract<JournalEntry['event'], { code: 'appeared' }>;

function appearedText(entry: StoredEntry, event: Appeared): string {
  const { channel, context, exten, rule } = event;
  const from = entry.number ? `from ${entry.number}` : 'with no number';
  const since = rule === 'inbound-context' || rule === 'inbound-name' ? 'inbound, since ' : '';
  return `channel ${channel} in context ${context}, extension ${exten}, ${from}: ${since}${ruleText(entry, event)}`;
}

function endText({ place }: StoredEntry): string {
  return place === undefined ? '' : `, in ${placeText(place.context, place.exten)}`;
}

function ruleText({ linkedid = '' }: StoredEntry, { rule, channel, context }: Appeared): string {
  return channelRuleText({ rule, channel, context, linkedid });
}

function sourceText({
  number,
  source,
}: {
  readonly number: string;
  readonly source?: NumberSource | undefined;
}) {
  if (number === 'withheld') return ', for a number that is withheld';
  if (number !== 'known') return ', for a caller without a number';
  if (source === undefined) return '';
  return `: the ${source.by} ${source.by === 'trunk' ? 'presented' : 'made it'} ${source.text} (${source.how})`;
}

/** `PJSIP/1001-00000002 hung up, cause 17 (busy)` */
function hangUpText({ channel, cause }: { readonly channel: string; readonly cause: number }): string {
  const words = causes[cause];
  return `${channel} hung up, cause ${cause}${words === undefined ? '' : ` (${words})`}`;
}

/** Causes that technicians meet. Source: docs.asterisk.org, "Hangup Cause Mappings" (Q.850). */
const causes: Readonly<Record<number, string>> = {
  0: 'no cause',
  1: 'number not assigned',
  16: 'normal',
  17: 'busy',
  18: 'no response of the phone',
  19: 'no answer',
  20: 'phone not registered',
  21: 'rejected',
  26: 'answered elsewhere',
  27: 'destination out of order',
  28: 'number incomplete',
  31: 'normal, unspecified',
  34: 'no free line',
  38: 'network out of order',
  41: 'temporary failure',
  44: 'line not available',
  58: 'codec not available',
  102: 'timer expired',
  111: 'protocol error',
  127: 'interworking',
};
