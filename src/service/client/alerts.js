import { nameOf, plainText } from './board.js';
import { words } from './words.js';

/**
 * Desktop notifications and a ringtone for ringing and missed calls, if switched on in this browser.
 *
 * @typedef {import('./board.js').Call} Call
 * @typedef {{ label: string, on: boolean, blocked?: boolean, press: () => void }} Button
 */

/** While a call rings, the ringtone sounds again after this time, ms. */
const RING_AGAIN_MS = 4000;
const VOLUME = 60; // of 100, until somebody chooses

/** One tab plays the ringtone: the one that had the focus last, else the first that rings. */
const tabId = String(Math.random());
const claim = () => localStorage.setItem('calls-sound-tab', tabId);
const isMine = () => (localStorage.getItem('calls-sound-tab') ?? tabId) === tabId;

/**
 * `keepRinging` is called often, with whether any call rings.
 * @param {() => void} changed
 */
export function ringer(changed) {
  /** @type {Map<string, Notification>} */
  const notifications = new Map();
  /** @type {AudioContext | undefined} */
  let audio;
  let chimedAt = 0;
  if (document.hasFocus()) claim();
  addEventListener('focus', claim);
  addEventListener('pagehide', () => isMine() && localStorage.removeItem('calls-sound-tab'));

  /** @param {string} key */
  const isOn = (key) => localStorage.getItem(key) === 'on';
  /** @param {string} key @param {boolean} on */
  const set = (key, on) => {
    localStorage.setItem(key, on ? 'on' : 'off');
    changed();
  };
  // Browsers allow notifications only with https or on localhost; those on Android have the constructor, and refuse it.
  const canNotify = () =>
    typeof Notification !== 'undefined' &&
    isSecureContext &&
    localStorage.getItem('calls-notify') !== 'refused';
  const notifies = () => canNotify() && Notification.permission === 'granted' && isOn('calls-notify');

  async function toggleNotify() {
    const granted = notifies() || (await Notification.requestPermission()) === 'granted';
    const on = granted && !notifies();
    set('calls-notify', on);
    // Shown at once: whether the browser does it is not left to the first call.
    if (on) notify(words.desktopAlerts ?? '', { tag: 'calls-notify' });
  }

  /**
   * Undefined if the browser refuses it, which it does for every one: the choice is then no longer offered.
   * @param {string} title @param {NotificationOptions} options @returns {Notification | undefined}
   */
  function notify(title, options) {
    try {
      return new Notification(title, options);
    } catch {
      localStorage.setItem('calls-notify', 'refused');
      changed();
      return undefined;
    }
  }

  const sounds = () => isOn('calls-sound') && isMine();
  const volume = () => Number(localStorage.getItem('calls-volume') ?? VOLUME);
  /** Browsers let a page sound only after a press or a key on it: until then the button says so. */
  const isBlocked = () => isOn('calls-sound') && audio?.state !== 'running';
  /** When the press on the button began: that press itself lifts the block. */
  let wasBlocked = false;

  function prepareSound() {
    wasBlocked = isBlocked();
    if (!isOn('calls-sound') || audio?.state === 'running') return;
    audio ??= new AudioContext();
    audio.onstatechange = changed;
    void audio.resume();
  }
  prepareSound();
  for (const gesture of ['pointerdown', 'keydown']) addEventListener(gesture, prepareSound);

  function toggleSound() {
    if (!wasBlocked) set('calls-sound', !isOn('calls-sound'));
    prepareSound();
    wasBlocked = false;
    claim();
    if (isOn('calls-sound')) chime();
  }

  /** Two soft tones; a missed call has them the other way round. */
  function chime(tones = [660, 880]) {
    prepareSound();
    if (!audio) return;
    if (localStorage.getItem('calls-sound-tab') === null) claim();
    chimedAt = performance.now();
    for (const [index, frequency] of tones.entries()) {
      const tone = audio.createOscillator();
      const gain = audio.createGain();
      const at = audio.currentTime + index * 0.18;
      tone.frequency.value = frequency;
      gain.gain.setValueAtTime(0.0001, at);
      gain.gain.exponentialRampToValueAtTime(Math.max(0.001, volume() / 200), at + 0.02);
      gain.gain.exponentialRampToValueAtTime(0.0001, at + 0.4);
      tone.connect(gain).connect(audio.destination);
      tone.start(at);
      tone.stop(at + 0.45);
    }
  }

  return {
    /** @returns {Button} whether it will sound, and the way to make it */
    ringtone: () => ({
      label:
        (isBlocked() ? words.ringtoneBlocked : isOn('calls-sound') ? words.ringtoneOn : words.ringtoneOff) ??
        '',
      on: isOn('calls-sound'),
      blocked: isBlocked(),
      press: toggleSound,
    }),
    /** @returns {Button[]} */
    choices: () => [
      ...(canNotify() && Notification.permission !== 'denied'
        ? [{ label: words.desktopAlerts ?? '', on: notifies(), press: () => void toggleNotify() }]
        : []),
      {
        label: words.soundMissed ?? '',
        on: isOn('calls-sound-missed'),
        press: () => set('calls-sound-missed', !isOn('calls-sound-missed')),
      },
    ],
    volume,
    /** @param {number} percent */
    setVolume(percent) {
      localStorage.setItem('calls-volume', String(percent));
      if (isOn('calls-sound')) chime();
    },
    /** @param {Call} call */
    ring(call) {
      if (sounds()) chime();
      if (!notifies()) return;
      const body = [call.customer && plainText(call.number_shown), call.segment && plainText(call.segment)];
      const notification = notify(nameOf(call), {
        body: body.filter(Boolean).join(' · '),
        tag: call.id, // one notification for all tabs
      });
      if (notification === undefined) return;
      notification.onclick = () => {
        focus();
        notification.close();
      };
      notifications.set(call.id, notification);
    },
    /** A call was missed. */
    miss() {
      if (sounds() && isOn('calls-sound-missed')) chime([880, 660]);
    },
    /** @param {boolean} any */
    keepRinging(any) {
      if (any && sounds() && performance.now() - chimedAt > RING_AGAIN_MS) chime();
    },
    /** The call rings no more. @param {string} id */
    quiet(id) {
      notifications.get(id)?.close();
      notifications.delete(id);
    },
  };
}
