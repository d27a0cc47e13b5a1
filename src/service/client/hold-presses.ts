/**
 * Nothing moves during a press, so that the button under the pointer stays the same. At most this long, ms: some presses
 * end without an event.
 */
const MAX_PRESS_MS = 5000;
/** The click of a tap comes at most this long after the finger is up, ms. */
const CLICK_MS = 300;

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
