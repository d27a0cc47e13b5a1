import { plainText } from './board.js';

/**
 * Desktop notifications and a ringtone for ringing calls, if switched on in this browser.
 *
 * @typedef {import('./board.js').Call} Call
 * @typedef {{ label: string, on: boolean, press: () => void }} Button
 */

/** While a call rings, the ringtone sounds again after this time, ms. */
const RING_AGAIN_MS = 4000;

/** Only the tab that had the focus last plays the ringtone. */
const tabId = String(Math.random());
const isLastFocused = () => localStorage.getItem('calls-sound-tab') === tabId;
const claim = () => localStorage.setItem('calls-sound-tab', tabId);

/**
 * `keepRinging` is called often, with whether any call rings.
 * @param {() => void} changed
 * @returns {{ buttons(): Button[], ring(call: Call): void, keepRinging(any: boolean): void, quiet(id: string): void }}
 */
export function ringer(changed) {
  /** @type {Map<string, Notification>} */
  const notifications = new Map();
  /** @type {AudioContext | undefined} */
  let audio;
  let chimedAt = 0;
  if (document.hasFocus()) claim();
  addEventListener('focus', claim);

  /** @param {string} key */
  const isOn = (key) => localStorage.getItem(key) === 'on';
  /** @param {string} key @param {boolean} on */
  const set = (key, on) => {
    localStorage.setItem(key, on ? 'on' : 'off');
    changed();
  };
  // Browsers allow notifications only with https or on localhost.
  const canNotify = () => typeof Notification !== 'undefined' && isSecureContext;
  const notifies = () => canNotify() && Notification.permission === 'granted' && isOn('calls-notify');

  async function toggleNotify() {
    const granted = notifies() || (await Notification.requestPermission()) === 'granted';
    set('calls-notify', granted && !notifies());
  }

  const sounds = () => isOn('calls-sound') && isLastFocused();
  /** Browsers let a page sound only after a press or a key on it: until then the button says so. */
  const isBlocked = () => isOn('calls-sound') && audio?.state !== 'running';

  function prepareSound() {
    if (!isOn('calls-sound') || audio?.state === 'running') return;
    audio ??= new AudioContext();
    audio.onstatechange = changed;
    void audio.resume();
  }
  prepareSound();
  for (const gesture of ['pointerdown', 'keydown']) addEventListener(gesture, prepareSound);

  function toggleSound() {
    set('calls-sound', !isOn('calls-sound'));
    prepareSound();
    claim();
    if (isOn('calls-sound')) chime();
  }

  /** Two soft tones. */
  function chime() {
    prepareSound();
    if (!audio) return;
    chimedAt = performance.now();
    for (const [start, frequency] of /** @type {const} */ ([
      [0, 660],
      [0.18, 880],
    ])) {
      const tone = audio.createOscillator();
      const volume = audio.createGain();
      const at = audio.currentTime + start;
      tone.frequency.value = frequency;
      volume.gain.setValueAtTime(0.0001, at);
      volume.gain.exponentialRampToValueAtTime(0.2, at + 0.02);
      volume.gain.exponentialRampToValueAtTime(0.0001, at + 0.4);
      tone.connect(volume).connect(audio.destination);
      tone.start(at);
      tone.stop(at + 0.45);
    }
  }

  return {
    buttons: () => [
      ...(canNotify() && Notification.permission !== 'denied'
        ? [{ label: 'Desktop alerts', on: notifies(), press: () => void toggleNotify() }]
        : []),
      {
        label: isBlocked() ? 'Ringtone: click to allow' : 'Ringtone',
        on: isOn('calls-sound'),
        press: toggleSound,
      },
    ],
    ring(call) {
      if (sounds()) chime();
      if (!notifies()) return;
      const body = [call.customer && plainText(call.number_shown), call.segment && plainText(call.segment)];
      const notification = new Notification(plainText(call.customer?.name ?? call.number_shown), {
        body: body.filter(Boolean).join(' · '),
        tag: call.id, // one notification for all tabs
      });
      notification.onclick = () => {
        focus();
        notification.close();
      };
      notifications.set(call.id, notification);
    },
    keepRinging(any) {
      if (any && sounds() && performance.now() - chimedAt > RING_AGAIN_MS) chime();
    },
    quiet(id) {
      notifications.get(id)?.close();
      notifications.delete(id);
    },
  };
}
