/**
 * Shows the values of the bar under the pointer above its chart. A touch shows them first, and follows the bar's link
 * when it is touched again.
 */
export {};

/** @type {Element | null} */
let shown = null;

/** @param {Event} event */
function barOf({ target }) {
  return target instanceof Element ? target.closest('.bars > a') : null;
}

/** @param {Element} bar */
function show(bar) {
  shown?.removeAttribute('class');
  shown = bar;
  bar.setAttribute('class', 'shown');
  const value = bar.closest('.chart')?.querySelector('.value');
  if (value) value.textContent = bar.querySelector('title')?.textContent ?? '';
}

// Days by hours open at the busy hours, not at a night's only call.
for (const head of document.querySelectorAll('.heat [data-open]')) {
  const box = head.closest('.wide');
  const label = box?.querySelector('th');
  if (box && label) box.scrollLeft = /** @type {HTMLElement} */ (head).offsetLeft - label.offsetWidth;
}

for (const chart of document.querySelectorAll('.chart')) {
  let wasShown = false;
  chart.addEventListener('pointerdown', (event) => {
    const bar = barOf(event);
    wasShown = bar !== null && bar === shown;
    if (bar) show(bar);
  });
  chart.addEventListener('pointerover', (event) => {
    const bar = barOf(event);
    if (bar && /** @type {PointerEvent} */ (event).pointerType === 'mouse') show(bar);
  });
  chart.addEventListener('click', (event) => {
    const touched = /** @type {PointerEvent} */ (event).pointerType !== 'mouse';
    if (barOf(event) && touched && !wasShown) event.preventDefault();
  });
}
