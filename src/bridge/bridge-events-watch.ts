import type { Log } from '../shared/log/log.ts';

/** Notices that a manager keeps BridgeEnter back: channels are connected, and none was seen since the connection began. */
export function watchBridgeEvents(log: Log) {
  let isSeen = false;
  let has: boolean | undefined;
  return {
    connected() {
      isSeen = false;
    },
    seen() {
      if (has === false) log.say('ami.bridge-events');
      has = isSeen = true;
    },
    unseen() {
      if (isSeen || has === false) return;
      has = false;
      log.say('ami.no-bridge-events');
    },
    has: () => has,
  };
}

export type BridgeEventsWatch = ReturnType<typeof watchBridgeEvents>;
