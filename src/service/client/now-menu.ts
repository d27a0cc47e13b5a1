import { filled } from '../rules/filled.ts';
import { plainText } from '../rules/plain-text.ts';
import type { ScreenSystem } from '../rules/screen-call.ts';
import { spanText } from '../rules/span.ts';
import { html } from './html.ts';
import { icon } from './now-cards.ts';
import type { Button, Ringer } from './ringer.ts';
import type { Screen } from './screen.ts';

/** Each with its minutes. */
const units = [
  ['day', 1440],
  ['hour', 60],
  ['minute', 1],
] as const;

/** `Headquarters: last event 2 min ago` */
export function systemText(
  { words, locale, weekday }: Screen,
  { name, last_at, unusual }: ScreenSystem,
  now: number,
): string {
  const ms = now - (last_at ?? 0);
  const minutes = Math.max(1, Math.round(ms / 60_000));
  const [unit, length] = units.find(([, size]) => minutes >= 2 * size) ?? units[2];
  const ago = new Intl.RelativeTimeFormat(locale, { style: 'short' });
  const text = last_at === null ? words.systemNever : unusual ? words.systemSilent : words.systemLastEvent;
  return filled(text, {
    name: plainText(name, 40),
    ago: ago.format(-Math.round(minutes / length), unit),
    span: spanText(ms, locale),
    weekday: weekday(now),
  });
}

/** The ringtone, and settings that are rarely changed. */
export function nowMenu(screen: Screen, ringer: Ringer, systems: readonly ScreenSystem[], now: number) {
  const { words, isAlone } = screen;
  const ringtone = ringer.ringtone();
  const button = ({ label, on, press }: Button) =>
    html`<button type="button" aria-pressed=${String(on)} onClick=${press}>${label}</button>`;
  const setVolume = ({ target }: Event) => {
    if (target instanceof HTMLInputElement) ringer.setVolume(Number(target.value));
  };
  return html`<details class="menu">
    <summary class=${ringtone.blocked ? 'button bare is-missed' : 'button bare'} aria-label=${ringtone.label} title=${ringtone.label}>${icon(screen, ringtone.on && !ringtone.blocked ? 'bell-ring' : 'bell-off')}</summary>
    <div>
      ${[ringtone, ...ringer.choices()].map(button)}
      <label>${words.volume}<input type="range" min="5" max="100" step="5" value=${ringer.volume()} onChange=${setVolume} /></label>
      <a href="/account/calls">${words.choose}</a>
      ${!isAlone && html`<a href="/calls/window" target="calls">${words.ownWindow}</a>`}
      ${systems.map((system) => html`<p class="small quiet">${systemText(screen, system, now)}</p>`)}
    </div>
  </details>`;
}

/** A menu closes when something else is pressed, or with Escape. */
export function closeMenus(): void {
  const close = (target: EventTarget | null) => {
    for (const open of document.querySelectorAll('details.menu[open]'))
      if (!(target instanceof Node && open.contains(target))) open.removeAttribute('open');
  };
  addEventListener('click', ({ target }) => close(target));
  addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape') return;
    const open = document.activeElement?.closest('details.menu[open]');
    open?.querySelector<HTMLElement>('summary')?.focus();
    close(null);
  });
}
