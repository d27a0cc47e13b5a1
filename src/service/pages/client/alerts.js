import { plainText } from './board.js';

/**
 * Desktop notifications and a ringtone for ringing calls, if switched on in this browser.
 *
 * @typedef {import('./board.js').Call} Call
 * @typedef {{ label: string, on: boolean, press: () => void }} Button
 */

/** Only the tab that had the focus last plays the ringtone. */
const tabId = String(Math.random());
const isLastFocused = () => localStorage.getItem('calls-sound-tab') === tabId;
const claim = () => localStorage.setItem('calls-sound-tab', tabId);

/** @param {() => void} changed @returns {{ buttons(): Button[], ring(call: Call): void, quiet(id: string): void }} */
export function ringer(changed) {
  /** @type {Map<string, Notification>} */
  const notifications = new Map();
  /** @type {AudioContext | undefined} */
  let audio;
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

  function toggleSound() {
    set('calls-sound', !isOn('calls-sound'));
    claim();
    if (isOn('calls-sound')) chime();
  }

  /** Two soft tones. */
  function chime() {
    audio ??= new AudioContext();
    void audio.resume();
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
      { label: 'Ringtone', on: isOn('calls-sound'), press: toggleSound },
    ],
    ring(call) {
      if (isOn('calls-sound') && isLastFocused()) chime();
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
    quiet(id) {
      notifications.get(id)?.close();
      notifications.delete(id);
    },
  };
}
