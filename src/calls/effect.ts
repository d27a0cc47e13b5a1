import type { CallStatus } from '../api/contract/call-event.ts';
import type { OpenCall } from './state.ts';

/**
 * What the tracker wants done. `tell` is the product; `save`, `free` and `trunk` are what must be on disk together
 * with it, so that a restart neither repeats nor forgets; `ask` asks the PBX, `wake` for a tick; `note` explains to people.
 */
export type Effect = Tell | Save | Free | TrunkSeen | NumberExpected | PresentationAsked | Wake | Note;

/** An event of a call for the Call Integration API. `at` is Unix ms. */
export type Tell = {
  readonly type: 'tell';
  readonly at: number;
  /** The call's id, the same for all its events. */
  readonly id: string;
  readonly status: CallStatus;
  readonly from: string;
  /** Who answered; absent before an answer, on a missed call, and at the end if somebody else may have been first. */
  readonly callerId?: string;
  /** How it went, for people; at the end only. */
  readonly outcome?: string;
};

/** The call has changed: keep it until it is freed. */
export type Save = { readonly type: 'save'; readonly call: OpenCall };

/** The call is over: forget it. */
export type Free = { readonly type: 'free'; readonly id: string };

/** An inbound call came in on this endpoint (`PJSIP/trunk`): it is a trunk, remember it for ever. */
export type TrunkSeen = { readonly type: 'trunk'; readonly endpoint: string };

/**
 * An inbound call from this number (as the PBX wrote it) has begun, and the number may be shown: its priority may be
 * asked for soon.
 */
export type NumberExpected = { readonly type: 'expect'; readonly number: string };

/**
 * Ask the PBX whether this caller lets the number be shown, and answer with a `presentation` input: Newchannel has the
 * number of a caller who withholds it, too, when the trunk passes it on for the PBX's own use (P-Asserted-Identity).
 */
export type PresentationAsked = { readonly type: 'ask'; readonly uniqueid: string; readonly channel: string };

/** Send a tick at `at` (Unix ms) or soon after. */
export type Wake = { readonly type: 'wake'; readonly at: number };

/** A decision with its reason, for the log and for whoever asks why a call did not show. */
export type Note = {
  readonly type: 'note';
  readonly at: number;
  readonly id: string;
  readonly decision:
    | 'not-told' // no number, and no WITHHELD_NUMBER to stand in for it
    | 'not-inbound' // taken for an inbound call when we connected, but the PBX made it
    | 'told-late' // the number came after that, so it is told now
    | 'adopted' // was already there when we connected
    | 'vanished'; // was gone when we connected
  readonly why: string;
};
