import type { Frame } from './ami.ts';
import { tooBusy } from './too-busy.ts';

/** A channel as the lab's driver sees it. Stays on the board after its end. */
export type BoardChannel = {
  readonly uniqueid: string;
  name: string;
  /** The Linkedid it began with; equal to its uniqueid if it began a call of its own. */
  readonly firstLinkedid: string;
  /** 0 Down, 4 Ring, 5 Ringing, 6 Up. */
  state: number;
  /** The extension at its beginning: what a caller dialled. */
  readonly exten: string;
  /** What was dialled to reach it, as Dial has it; '' if it was not dialled. */
  dialled: string;
  bridge: string;
  /** The number at which it is parked; '' if it is not. */
  parkedAt: string;
  /** The application that the dialplan runs for it. */
  application: string;
  gone: boolean;
};

/** All channels and bridges of the PBX, kept up to date from the manager's events. */
export type Board = {
  apply(frame: Frame): void;
  /** All channels are gone at once, without an event. */
  crash(): void;
  readonly channels: ReadonlyMap<string, BoardChannel>;
  /** Real channels (no Local halves) that this one is connected with, over any chain of Local channels. */
  connected(channel: BoardChannel): BoardChannel[];
  /**
   * Resolves when the condition holds, which is looked at after every event. Throws after 15 s; if the machine is too
   * busy then, after another minute, and says so.
   */
  until<T>(what: string, condition: () => T | undefined | false): Promise<T>;
};

const longestMs = 15_000;
const moreIfBusyMs = 60_000;

export function createBoard(): Board {
  const channels = new Map<string, BoardChannel>();
  const waiting = new Set<() => void>();

  function handle({ fields }: Frame): void {
    const { Uniqueid: uniqueid = '', Event: event } = fields;
    if (event === 'Newchannel') {
      const { Channel: name = '', Linkedid: firstLinkedid = '', Exten: exten = '' } = fields;
      const seen = { uniqueid, name, firstLinkedid, exten, state: Number(fields.ChannelState) };
      channels.set(uniqueid, {
        ...seen,
        dialled: '',
        bridge: '',
        application: '',
        gone: false,
        parkedAt: '',
      });
      return;
    }
    if (event === 'DialBegin') {
      const dialled = channels.get(fields.DestUniqueid ?? '');
      if (dialled) dialled.dialled = fields.DialString ?? '';
      return;
    }
    if (event === 'ParkedCall') {
      const parked = channels.get(fields.ParkeeUniqueid ?? '');
      if (parked) parked.parkedAt = fields.ParkingSpace ?? '';
      return;
    }
    const channel = channels.get(uniqueid);
    if (!channel) return;
    if (event === 'Newstate') channel.state = Number(fields.ChannelState);
    if (event === 'Newexten') channel.application = fields.Application ?? '';
    if (event === 'Rename') channel.name = fields.Newname ?? channel.name;
    if (event === 'BridgeEnter') channel.bridge = fields.BridgeUniqueid ?? '';
    if (event === 'BridgeLeave') channel.bridge = '';
    if (event === 'Hangup') {
      channel.gone = true;
      channel.bridge = '';
    }
  }

  function connected(channel: BoardChannel): BoardChannel[] {
    const reached = new Set([channel]);
    for (const one of reached) {
      for (const other of channels.values()) {
        const sameBridge = one.bridge !== '' && other.bridge === one.bridge;
        if (!other.gone && (sameBridge || isOtherHalf(one, other))) reached.add(other);
      }
    }
    return [...reached].filter((other) => other !== channel && !isLocal(other));
  }

  return {
    channels,
    connected,
    crash() {
      for (const channel of channels.values()) Object.assign(channel, { gone: true, bridge: '' });
    },
    apply(frame) {
      handle(frame);
      for (const look of waiting) look();
    },
    until(what, condition) {
      return new Promise((resolve, reject) => {
        const look = () => {
          const found = condition();
          if (found === undefined || found === false) return;
          waiting.delete(look);
          clearTimeout(timer);
          resolve(found);
        };
        const giveUp = (ms: number) => () => {
          const why = tooBusy();
          if (why !== undefined && ms === longestMs) {
            timer = setTimeout(giveUp(longestMs + moreIfBusyMs), moreIfBusyMs);
            return;
          }
          waiting.delete(look);
          reject(new Error(`waited ${ms / 1000} s in vain: ${what}${why === undefined ? '' : ` (${why})`}`));
        };
        let timer = setTimeout(giveUp(longestMs), longestMs);
        waiting.add(look);
        look();
      });
    },
  };
}

function isLocal(channel: BoardChannel): boolean {
  return channel.name.startsWith('Local/');
}

function isOtherHalf(one: BoardChannel, other: BoardChannel): boolean {
  return isLocal(one) && isLocal(other) && one !== other && one.name.slice(0, -1) === other.name.slice(0, -1);
}
