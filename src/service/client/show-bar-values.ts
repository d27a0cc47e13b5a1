/**
 * Shows the values of the bar under the pointer above its chart. A touch shows them first, and follows the bar's link
 * when it is touched again.
 */
export function showBarValues(): void {
  for (const head of document.querySelectorAll<HTMLElement>('.heat [data-open]')) scrollTo(head);
  for (const chart of document.querySelectorAll<HTMLElement>('.chart')) follow(chart);
}

/** Days by hours open at the busy hours, not at a night's only call. */
function scrollTo(head: HTMLElement): void {
  const box = head.closest('.wide');
  const label = box?.querySelector('th');
  if (box && label) box.scrollLeft = head.offsetLeft - label.offsetWidth;
}

const isShown = (bar: Element) => bar.matches('.shown');

function show(bar: Element): void {
  for (const shown of document.querySelectorAll('.bars > .shown')) shown.removeAttribute('class');
  bar.setAttribute('class', 'shown');
  const value = bar.closest('.chart')?.querySelector('.value');
  if (value) value.textContent = bar.querySelector('title')?.textContent ?? '';
}

function follow(chart: HTMLElement): void {
  let wasShown = false;
  chart.addEventListener('pointerdown', (event) => {
    const bar = barOf(event);
    wasShown = bar !== null && isShown(bar);
    if (bar) show(bar);
  });
  chart.addEventListener('pointerover', (event) => {
    const bar = barOf(event);
    if (bar && event.pointerType === 'mouse') show(bar);
  });
  chart.addEventListener('click', (event) => {
    const touched = !(event instanceof PointerEvent) || event.pointerType !== 'mouse';
    if (barOf(event) && touched && !wasShown) event.preventDefault();
  });
}

const barOf = ({ target }: Event) => (target instanceof Element ? target.closest('.bars > a') : null);
