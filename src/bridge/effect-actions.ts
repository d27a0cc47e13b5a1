import type { AmiLink } from './ami/link.ts';
import type { BridgeEventsWatch } from './bridge-events-watch.ts';
import type { CallLog } from './call-log.ts';
import type { Effect, JournalEntry } from './calls/effect.ts';
import type { TickAlarm } from './tick-alarm.ts';
import type { WhoReporter } from './who-reporter.ts';

export type EffectTools = {
  readonly ask: Omit<AmiLink['ask'], 'channels' | 'priority'>;
  /** Asks for all channels, as soon as it is reasonable. */
  readonly askChannels: () => void;
  readonly prefetchPriority: (number: string) => void;
  /** Tells the service who rings and talks now; undefined without API_EXTRAS. */
  readonly who: WhoReporter | undefined;
};

type EffectParts = {
  readonly calls: CallLog;
  readonly alarm: TickAlarm;
  readonly bridgeEvents: BridgeEventsWatch;
  readonly writeJournal: (entry: JournalEntry) => void;
};

/** Carries out an effect of the tracker, as far as it does not go to disk. */
export function createEffectActions(
  { calls, alarm, bridgeEvents, writeJournal }: EffectParts,
  { ask, askChannels, prefetchPriority, who }: EffectTools,
) {
  return (effect: Effect): void => {
    switch (effect.type) {
      case 'report':
        calls.countReport(effect.status);
        who?.reported(effect);
        break;
      case 'journal':
        writeJournal(effect.entry);
        break;
      case 'log':
        calls.logDecision(effect.decision, effect.id, effect.why);
        break;
      case 'wake':
        alarm.by(effect.at);
        break;
      case 'prefetch-priority':
        prefetchPriority(effect.number);
        break;
      case 'ask':
        ask.presentation(effect.uniqueid, effect.channel);
        break;
      case 'ask-application':
        ask.application(effect);
        break;
      case 'ask-variable':
        ask.variable(effect);
        break;
      case 'ask-channels':
        askChannels();
        break;
      case 'bridge-unseen':
        bridgeEvents.unseen();
        break;
      case 'who':
        who?.changed(effect);
        break;
      // These go to disk, in one batch.
      case 'save':
      case 'free':
      case 'trunk':
      case 'dialled-out':
        break;
      default:
        effect satisfies never;
    }
  };
}
