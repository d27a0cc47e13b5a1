/**
 * Nothing moves during a press, so that the button under the pointer stays the same. At most this long, ms: some presses
 * end without an event.
 */
const MAX_PRESS_MS = 5000;
/** The click of a tap comes at most this long after the finger is up, ms. */
const CLICK_MS = 300;

/** A pointer that rests for this long aims at nothing, ms. */
const AIM_MS = 1_500;

/** A function that says whether somebody aims at `root`: a mouse moves over it, or a link or button in it has the focus. */
export function holdAims(root: HTMLElement): () => boolean {
  let aimedUntil = 0;
  root.addEventListener('pointermove', () => {
    aimedUntil = performance.now() + AIM_MS;
  });
  root.addEventListener('pointerleave', () => {
    aimedUntil = 0;
  });
  return () => performance.now() < aimedUntil || root.querySelector('.ringing :focus-visible') !== null;
}

/** A function that says whether somebody presses something now. `over` is called after each press. */
export function holdPresses(over: () => void): () => boolean {
  let heldUntil = 0;
  addEventListener('pointerdown', () => {
    heldUntil = performance.now() + MAX_PRESS_MS;
  });
  addEventListener('pointerup', () => {
    heldUntil = performance.now() + CLICK_MS;
    setTimeout(over, CLICK_MS);
  });
  for (const end of ['click', 'pointercancel', 'blur', 'contextmenu'])
    addEventListener(end, () => {
      heldUntil = 0;
      setTimeout(over); // after the click's own handler
    });
  return () => performance.now() < heldUntil;
}
