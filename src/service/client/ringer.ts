import { plainText } from '../rules/plain-text.ts';
import type { MissedPerson, ScreenCall } from '../rules/screen-call.ts';
import { nameOf } from './board.ts';
import type { Screen } from './screen.ts';

export type Button = {
  readonly label: string;
  readonly on: boolean;
  readonly blocked?: boolean;
  readonly press: () => void;
};

/** While a call rings, the ringtone sounds again after this time, ms. */
const RING_AGAIN_MS = 4000;
const VOLUME = 60; // of 100, until somebody chooses

const volume = () => Number(localStorage.getItem('calls-volume') ?? VOLUME);
const isOn = (key: string) => localStorage.getItem(key) === 'on';

export type Ringer = ReturnType<typeof createRinger>;

/**
 * Desktop notifications and a ringtone for ringing and missed calls, if switched on in this browser. `changed` is called
 * after a choice was made, or the browser has allowed sound.
 */
export function createRinger({ words }: Screen, changed: () => void) {
  const set = (key: string, on: boolean) => {
    localStorage.setItem(key, on ? 'on' : 'off');
    changed();
  };
  const notifier = createNotifier(words.desktopAlerts, set, changed);
  const tab = createSoundTab();
  const speaker = createSpeaker(tab.claim, changed);
  const { chime } = speaker;
  const sounds = () => isOn('calls-sound') && tab.isMine();

  function toggleSound(): void {
    if (!speaker.wasBlocked()) set('calls-sound', !isOn('calls-sound'));
    tab.claim();
    if (isOn('calls-sound')) chime();
  }

  const ringtoneLabel = () =>
    speaker.isBlocked() ? words.ringtoneBlocked : isOn('calls-sound') ? words.ringtoneOn : words.ringtoneOff;

  return {
    /** Whether it will sound, and the way to make it. */
    ringtone: (): Button => ({
      label: ringtoneLabel(),
      on: isOn('calls-sound'),
      blocked: speaker.isBlocked(),
      press: toggleSound,
    }),
    choices: (): Button[] => [
      ...notifier.choices(),
      {
        label: words.soundMissed,
        on: isOn('calls-sound-missed'),
        press: () => set('calls-sound-missed', !isOn('calls-sound-missed')),
      },
    ],
    volume,
    setVolume(percent: number): void {
      localStorage.setItem('calls-volume', String(percent));
      if (isOn('calls-sound')) chime();
    },
    /** Signals a call that has just begun to ring or was just missed. */
    tell(call: ScreenCall): void {
      if (call.missed && sounds() && isOn('calls-sound-missed')) chime([880, 660]);
      if (call.status !== 'ringing') return;
      if (sounds()) chime();
      notifier.show(call);
    },
    /** Signals that it is time to call somebody. */
    remind(person: MissedPerson): void {
      if (sounds()) chime();
      notifier.show(person, `remind ${person.person}`, words.remind);
    },
    /** Called often, with whether any call rings. */
    keepRinging(any: boolean): void {
      if (any && sounds() && speaker.silentMs() > RING_AGAIN_MS) chime();
    },
    /** The call rings no more. */
    quiet: notifier.quiet,
  };
}

/** What the browser lets this page play. */
function createSpeaker(claim: () => void, changed: () => void) {
  let chimedAt = 0;
  let audio: AudioContext | undefined;
  /** When the press on the button began: that press itself lifts the block. */
  let wasBlocked = false;
  /** Browsers let a page sound only after a press or a key on it: until then the button says so. */
  const isBlocked = () => isOn('calls-sound') && audio?.state !== 'running';

  function prepare(): void {
    wasBlocked = isBlocked();
    if (!isOn('calls-sound') || audio?.state === 'running') return;
    audio ??= new AudioContext();
    audio.onstatechange = changed;
    void audio.resume();
  }
  prepare();
  for (const gesture of ['pointerdown', 'keydown']) addEventListener(gesture, prepare);

  return {
    isBlocked,
    wasBlocked: () => wasBlocked,
    silentMs: () => performance.now() - chimedAt,
    /** Two soft tones; a missed call has them the other way round. */
    chime(tones = [660, 880]): void {
      prepare();
      if (!audio) return;
      if (localStorage.getItem('calls-sound-tab') === null) claim();
      chimedAt = performance.now();
      for (const [index, frequency] of tones.entries())
        sound(audio, frequency, audio.currentTime + index * 0.18, Math.max(0.001, volume() / 200));
    },
  };
}

/** One tab plays the ringtone: the one that had the focus last, else the first that rings. */
function createSoundTab() {
  const id = String(Math.random());
  const claim = () => localStorage.setItem('calls-sound-tab', id);
  const isMine = () => (localStorage.getItem('calls-sound-tab') ?? id) === id;
  if (document.hasFocus()) claim();
  addEventListener('focus', claim);
  addEventListener('pagehide', () => isMine() && localStorage.removeItem('calls-sound-tab'));
  return { claim, isMine };
}

function sound(audio: AudioContext, frequency: number, at: number, volume: number): void {
  const tone = audio.createOscillator();
  const gain = audio.createGain();
  tone.frequency.value = frequency;
  gain.gain.setValueAtTime(0.0001, at);
  gain.gain.exponentialRampToValueAtTime(volume, at + 0.02);
  gain.gain.exponentialRampToValueAtTime(0.0001, at + 0.4);
  tone.connect(gain).connect(audio.destination);
  tone.start(at);
  tone.stop(at + 0.45);
}

/** Desktop notifications: one for each call that rings. */
function createNotifier(label: string, set: (key: string, on: boolean) => void, changed: () => void) {
  const notifications = new Map<string, Notification>();
  // Browsers allow them only with https or on localhost; those on Android have the constructor, and refuse it.
  const canNotify = () =>
    typeof Notification !== 'undefined' &&
    isSecureContext &&
    localStorage.getItem('calls-notify') !== 'refused';
  const notifies = () => canNotify() && Notification.permission === 'granted' && isOn('calls-notify');

  async function toggle(): Promise<void> {
    const granted = notifies() || (await Notification.requestPermission()) === 'granted';
    const on = granted && !notifies();
    set('calls-notify', on);
    // Shown at once: whether the browser does it is not left to the first call.
    if (on) notify(label, { tag: 'calls-notify' });
  }

  /** Undefined if the browser refuses it, which it does for every one: the choice is then no longer offered. */
  function notify(title: string, options: NotificationOptions): Notification | undefined {
    try {
      return new Notification(title, options);
    } catch {
      localStorage.setItem('calls-notify', 'refused');
      changed();
      return undefined;
    }
  }

  return {
    choices: (): Button[] =>
      canNotify() && Notification.permission !== 'denied'
        ? [{ label, on: notifies(), press: () => void toggle() }]
        : [],
    /** `tag`: one notification for all tabs. */
    show(call: ScreenCall, tag = call.id, text: string | null = null): void {
      if (!notifies()) return;
      const body = [
        text,
        call.customer && plainText(call.number_shown),
        call.segment && plainText(call.segment),
      ];
      const notification = notify(nameOf(call), { body: body.filter(Boolean).join(' · '), tag });
      if (notification === undefined) return;
      notification.onclick = () => {
        focus();
        notification.close();
      };
      notifications.set(tag, notification);
    },
    quiet(id: string): void {
      notifications.get(id)?.close();
      notifications.delete(id);
    },
  };
}
