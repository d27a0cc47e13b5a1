import { plain } from './board.js';

/**
 * Desktop notifications and a sound for calls that ring: for who asks for them, in this browser.
 *
 * @typedef {import('./board.js').Call} Call
 * @typedef {{ label: string, on: boolean, press: () => void }} Button
 */

/** The tab that was looked at last: of all that are open, it alone makes a sound. */
const me = String(Math.random());
const mine = () => localStorage.getItem('calls-sound-tab') === me;
const claim = () => localStorage.setItem('calls-sound-tab', me);

/** @param {() => void} changed @returns {{ buttons(): Button[], ring(call: Call): void, quiet(id: string): void }} */
export function ringer(changed) {
  /** @type {Map<string, Notification>} */
  const shown = new Map();
  /** @type {AudioContext | undefined} */
  let audio;
  if (document.hasFocus()) claim();
  addEventListener('focus', claim);

  /** @param {string} key */
  const wanted = (key) => localStorage.getItem(key) === 'on';
  /** @param {string} key @param {boolean} on */
  const want = (key, on) => {
    localStorage.setItem(key, on ? 'on' : 'off');
    changed();
  };
  // Browsers show notifications only for pages that came by https, or from this machine.
  const canNotify = () => typeof Notification !== 'undefined' && isSecureContext;
  const notifies = () => canNotify() && Notification.permission === 'granted' && wanted('calls-notify');

  async function toggleNotify() {
    const granted = notifies() || (await Notification.requestPermission()) === 'granted';
    want('calls-notify', granted && !notifies());
  }

  function toggleSound() {
    want('calls-sound', !wanted('calls-sound'));
    claim();
    if (wanted('calls-sound')) chime();
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
      { label: 'Ringtone', on: wanted('calls-sound'), press: toggleSound },
    ],
    ring(call) {
      if (wanted('calls-sound') && mine()) chime();
      if (!notifies()) return;
      const body = [call.customer && plain(call.number_shown), call.segment && plain(call.segment)];
      const notification = new Notification(plain(call.customer?.name ?? call.number_shown), {
        body: body.filter(Boolean).join(' · '),
        tag: call.id, // one, however many tabs are open
      });
      notification.onclick = () => {
        focus();
        notification.close();
      };
      shown.set(call.id, notification);
    },
    quiet(id) {
      shown.get(id)?.close();
      shown.delete(id);
    },
  };
}
