import type { CallExtras, Missed } from '../../shared/api/contract/call-extras.ts';
import type { CallStatus } from '../../shared/api/contract/call-status.ts';
import type { DecisionName } from './decisions.ts';
import type { Presentation } from './input.ts';
import type { OpenCall } from './open-call.ts';
import type { DialplanPart, Place } from './place.ts';
import type { ChannelRule } from './rules.ts';
import type { Trunk } from './trunk.ts';

/**
 * What the tracker wants done. `report` is the product. `save`, `free` and `trunk` must be on disk together with it, so
 * that a restart neither repeats nor forgets. `ask`, `ask-variable` and `ask-application` query the PBX, `wake` requests a tick, `log`
 * writes to the log, and `journal` writes an entry for `explain`.
 */
export type Effect =
  | Report
  | Save
  | Free
  | TrunkChanged
  | DialledOut
  | PriorityPrefetch
  | PresentationAsked
  | VariableAsked
  | ApplicationAsked
  | ChannelsAsked
  | BridgeUnseen
  | WhoChanged
  | Wake
  | LogDecision
  | JournalWritten;

/** An event of a call for the Call Integration API. `at` is Unix ms. */
export type Report = {
  readonly type: 'report';
  readonly at: number;
  /** The call's id, the same for all its events. */
  readonly id: string;
  readonly status: CallStatus;
  readonly from: string;
  /**
   * Who answered; absent before an answer, on a missed call, if somebody has answered elsewhere, and at the end if somebody else
   * may have been first.
   */
  readonly callerId?: string;
  /** How it went, for people; at the end only. */
  readonly outcome?: string;
  /** What the document of the API does not name. */
  readonly extras: CallExtras;
};

/** The call has changed: keep it, as it is here, until it is freed. */
export type Save = { readonly type: 'save'; readonly call: Readonly<OpenCall> };

/** The call is over: forget it. */
export type Free = { readonly type: 'free'; readonly id: string; readonly uniqueid: string };

/** Save what is known of this endpoint (`PJSIP/trunk`) as a trunk; without `trunk`, delete it. */
export type TrunkChanged = { readonly type: 'trunk'; readonly endpoint: string; readonly trunk?: Trunk };

/**
 * The PBX has dialled this channel over a trunk: it is no inbound call, whatever its records say of it later. Kept on disk, since a
 * bridge that starts later does not see it any more.
 */
type DialledOut = { readonly type: 'dialled-out'; readonly uniqueid: string; readonly at: number };

/**
 * An inbound call from this number has begun, and the number may be shown: the dialplan may look up its priority soon.
 */
type PriorityPrefetch = { readonly type: 'prefetch-priority'; readonly number: string };

/**
 * Ask the PBX whether this caller lets the number be shown, and answer with a `presentation` input. Newchannel alone
 * does not say it: a trunk may pass on a withheld number for the PBX's own use (P-Asserted-Identity).
 */
type PresentationAsked = { readonly type: 'ask'; readonly uniqueid: string; readonly channel: string };

/** Ask the PBX for a variable of this channel, and answer with a `variable` input. */
export type VariableAsked = {
  readonly type: 'ask-variable';
  readonly uniqueid: string;
  readonly channel: string;
  readonly variable: string;
};

/** Ask the PBX for all its channels, and answer with a `channels-listed` input. */
type ChannelsAsked = { readonly type: 'ask-channels' };

/** A list shows that this channel is in a bridge, and no BridgeEnter has said so. */
type BridgeUnseen = { readonly type: 'bridge-unseen'; readonly channel: string };

/** Ask the PBX what its dialplan does at this place, and answer with an `application` input. */
export type ApplicationAsked = {
  readonly type: 'ask-application';
  readonly uniqueid: string;
  /** Absent if that is known. */
  readonly place?: Place;
  /** Extensions whose lines are wanted too; all of the context without `exten`. */
  readonly others?: readonly DialplanPart[];
};

/** Who rings for the caller now, and who talks with the caller: to be told soon, not to be kept. */
export type WhoChanged = {
  readonly type: 'who';
  /** The call's id. */
  readonly id: string;
  readonly rings: readonly string[];
  readonly talks: readonly string[];
};

/** Send a tick at `at` (Unix ms) or soon after. */
type Wake = { readonly type: 'wake'; readonly at: number };

/** A decision with its reason, for the log. */
type LogDecision = {
  readonly type: 'log';
  readonly id: string;
  readonly decision: DecisionName;
  readonly why: string;
};

/** An entry of the journal. */
type JournalWritten = { readonly type: 'journal'; readonly entry: JournalEntry };

/** What was observed or decided, and about whom. It is stored as JSON. */
export type JournalEntry = {
  /** Unix ms. */
  readonly at: number;
  /** The Uniqueid of the channel that it is about. */
  readonly uniqueid: string;
  /** The Linkedid that the channel had when it appeared. */
  readonly linkedid?: string;
  /** The id of the call, once there is one. */
  readonly call?: string;
  /** Where in the dialplan the caller was at the end. */
  readonly place?: Place;
  /** The number, as the PBX wrote it or as it was reported. */
  readonly number?: string;
  /** `not-reported` is a reason why the call is not reported; the last one counts. */
  readonly kind: 'appeared' | 'observed' | 'decided' | 'reported' | 'not-reported';
  readonly event: JournalEvent;
};

/**
 * A code, and what the sentence of it needs: `cli/explain/journal-text.ts` makes that. A code is stored, so it keeps its
 * meaning and its fields.
 */
export type JournalEvent =
  | {
      readonly code: 'appeared';
      readonly channel: string;
      readonly context: string;
      readonly exten: string;
      readonly rule: ChannelRule;
    }
  | { readonly code: 'dialled-out' | 'leaves-bridge' | 'presentation-asked' }
  | { readonly code: 'enters-bridge'; readonly technology: string; readonly isAlone: boolean }
  | { readonly code: 'presentation'; readonly presentation: Presentation }
  /** `by`: who is reported as the answerer. */
  | { readonly code: 'takes-over' | 'joins'; readonly by: string }
  | { readonly code: 'machine' | 'paged' | 'hangup-lost'; readonly channel: string }
  /** `source`: where the number comes from, as far as the channel still shows it. */
  | {
      readonly code: 'ringing';
      readonly from: string;
      readonly number: OpenCall['number'];
      readonly source?: NumberSource | undefined;
    }
  /** `channel`: the one that is in a bridge with the caller. */
  | { readonly code: 'answered'; readonly by?: string | undefined; readonly channel?: string | undefined }
  /** `answer`: only if somebody answered. */
  | {
      readonly code: 'completed';
      readonly answer?: { readonly callerId?: string | undefined } | undefined;
      readonly missed?: Missed | undefined;
    }
  | { readonly code: 'decision'; readonly decision: DecisionName; readonly why: string }
  /** `continued`: the id of the call that goes on, if it is one. */
  | {
      readonly code: 'far-end-replaced';
      readonly channel: string;
      readonly replaced: string;
      readonly continued?: string | undefined;
    }
  /** `cause`: Q.850. */
  | { readonly code: 'hung-up' | 'caller-hung-up'; readonly channel: string; readonly cause: number }
  | {
      readonly code: 'never-rang';
      readonly channel: string;
      readonly cause: number;
      readonly isDialledOut: boolean;
    }
  | { readonly code: 'unreported-record'; readonly why: string }
  | { readonly code: 'sent-again'; readonly status: string };

export type NumberSource = {
  readonly by: 'trunk' | 'dialplan';
  readonly text: string;
  /** How it was read, in words. */
  readonly how: string;
};
