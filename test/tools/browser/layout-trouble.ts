import type { Page } from 'playwright-core';

/**
 * What is wrong with the layout of the page as it is shown now, a line for each:
 * - an element stands out of the window to the right: no page scrolls sideways;
 * - a text is cut off without an ellipsis;
 * - controls overlap;
 * - a word of a table's heading is broken;
 * - on a desk, a column lies out of its table's box;
 * - a name, of a caller now or of a row, has less than 8em, some 16 letters (a first name and a surname, or a number), and is not whole;
 * - where fingers press, what can be pressed is less than 44 px high, and no link in a text;
 * - something lies over an open menu, other than such a menu;
 * - the line of calls takes more than two thirds of the window.
 */
export const layoutTrouble = (page: Page): Promise<string[]> => page.evaluate(inPage);

/** The same as an expression, for a browser that is driven otherwise: its lines as one text. */
export const layoutTroubleText = `(${inPage})().join(' | ')`;

/** Runs in the browser: it uses nothing from outside. */
function inPage(): string[] {
  const { clientWidth } = document.documentElement;
  const trouble: string[] = [];
  const named = (element: Element) =>
    `${element.tagName.toLowerCase()}.${element.getAttribute('class') ?? ''} "${(element.textContent ?? '').trim().replace(/\s+/g, ' ').slice(0, 60)}"`;
  const style = (element: Element) => getComputedStyle(element);
  const isShown = (element: Element) =>
    element.checkVisibility({ visibilityProperty: true }) && element.closest('.unseen, .skip') === null;
  /** The part of a box that nothing cuts off. */
  const visiblePart = (element: Element, { left, right, top, bottom }: DOMRect) => {
    const part = { left, right, top, bottom };
    for (let at = element.parentElement; at !== null; at = at.parentElement) {
      if (style(at).overflowX === 'visible') continue;
      const box = at.getBoundingClientRect();
      part.left = Math.max(part.left, box.left);
      part.right = Math.min(part.right, box.right);
      part.top = Math.max(part.top, box.top);
      part.bottom = Math.min(part.bottom, box.bottom);
    }
    return part;
  };

  if (document.documentElement.scrollWidth > clientWidth) trouble.push('the page scrolls sideways');
  for (const element of document.querySelectorAll('body *')) {
    if (!isShown(element)) continue;
    const box = element.getBoundingClientRect();
    if (box.right > clientWidth + 1 && visiblePart(element, box).right > clientWidth + 1)
      trouble.push(`out of the window: ${named(element)}`);
    const { overflowX, textOverflow, display } = style(element);
    const hasText = [...element.childNodes].some(
      (node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim(),
    );
    const isCut =
      textOverflow !== 'ellipsis' &&
      !['auto', 'scroll'].includes(overflowX) &&
      display !== 'inline' &&
      (overflowX !== 'visible' || hasText) &&
      element.scrollWidth > element.clientWidth + 1;
    if (isCut && !element.matches('input, select, svg, svg *')) trouble.push(`cut off: ${named(element)}`);
  }

  const controls = [...document.querySelectorAll('a[href], button, input, select, textarea, summary')]
    .filter((element) => isShown(element) && element.closest('svg') === null)
    // Links in a text go over several lines, each a box of its own.
    .flatMap((element) =>
      [...element.getClientRects()].map((box) => ({ element, ...visiblePart(element, box) })),
    )
    .filter(({ left, right, top, bottom }) => right - left > 2 && bottom - top > 2)
    // The calls now and the menus lie over the page; a name's link covers its row, under the row's buttons.
    .map((control) => ({
      ...control,
      layer: control.element.closest('.menu > div, nav[aria-label]') ?? control.element.closest('#now, .top'),
    }));
  for (const [index, one] of controls.entries())
    for (const other of controls.slice(index + 1)) {
      const wide = Math.min(one.right, other.right) - Math.max(one.left, other.left);
      const high = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
      if (wide <= 1 || high <= 2 || one.layer !== other.layer) continue;
      if (!one.element.contains(other.element) && !other.element.contains(one.element))
        trouble.push(`overlap: ${named(one.element)} and ${named(other.element)}`);
    }

  for (const menu of document.querySelectorAll('.menu[open] > div')) {
    if (!isShown(menu)) continue;
    const { left, top, width, height } = menu.getBoundingClientRect();
    const middle = left + width / 2;
    if (
      [top + 4, top + height - 4].some(
        (y) => y < innerHeight && !document.elementFromPoint(middle, y)?.closest('.menu[open] > div'),
      )
    )
      trouble.push(`covered: ${named(menu)}`);
    if (menu.closest('#now') && top + height > innerHeight) trouble.push(`below the window: ${named(menu)}`);
  }

  const isTouched = matchMedia('(pointer: coarse)').matches;
  for (const element of isTouched ? new Set(controls.map((control) => control.element)) : []) {
    if (style(element).display === 'inline' && element.closest('p, .text, dd')) continue;
    // A label is pressed in place of its small box; what a link adds may cover more than the link, such as its row.
    const label = element.matches('[type=checkbox], [type=radio]') && element.closest('label');
    const { position, height: added } = getComputedStyle(element, '::after');
    const own = (label || element).getBoundingClientRect().height;
    const height = position === 'absolute' ? Math.max(own, Number.parseFloat(added)) : own;
    if (height < 43.5) trouble.push(`${Math.round(height)} px high to be touched: ${named(element)}`);
  }

  for (const element of document.querySelectorAll('th')) {
    const [node] = element.childNodes;
    if (node?.nodeType !== Node.TEXT_NODE || !isShown(element)) continue;
    for (const { index, 0: word } of (node.textContent ?? '').matchAll(/[^\s-]+/g)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      if (range.getClientRects().length > 1) trouble.push(`broken word: ${named(element)}`);
    }
  }
  for (const element of document.querySelectorAll('.wide:not(:has(.heat))'))
    if (
      clientWidth > 1024 &&
      isShown(element) &&
      element.scrollWidth > element.clientWidth + 1 &&
      !/\S{40}/.test(element.textContent ?? '') // such a word may make its table scroll
    )
      trouble.push(`a column out of sight: ${named(element)}`);

  const pen = document.createElement('canvas').getContext('2d');
  for (const name of document.querySelectorAll('#now .who, #now .name a, main .rows .name > :is(a, b)')) {
    if (!pen || name.closest('[hidden], .unseen') || !name.parentElement?.checkVisibility()) continue;
    const { fontWeight, fontSize, fontFamily } = style(name);
    pen.font = `${fontWeight} ${fontSize} ${fontFamily}`;
    const { width } = pen.measureText(name.textContent ?? '');
    const least = Math.min(width, 8 * Number.parseFloat(fontSize));
    const box = name.getBoundingClientRect();
    const { left, right } = visiblePart(name, box);
    if (!isShown(name) || right - left < least - 4 || box.height < 16)
      trouble.push(
        `${Math.round(right - left)} px for the name, which needs ${Math.round(least)}: ${named(name)}`,
      );
  }

  for (const name of document.querySelectorAll('main .name a[href^="/person"]')) {
    if (name.closest('details:not([open])')) continue;
    const box = name.getBoundingClientRect();
    const { left, right } = visiblePart(name, box);
    const whole = Math.max(box.width, name.scrollWidth);
    const least = Math.min(whole, 8 * Number.parseFloat(style(name).fontSize));
    if (!name.checkVisibility({ visibilityProperty: true }) || least === 0 || right - left < least - 1)
      trouble.push(`${Math.round(right - left)} px of ${Math.round(whole)} for the name: ${named(name)}`);
  }

  const bar = document.querySelector('.bar-room .bar:not(.open)');
  const box = bar?.getBoundingClientRect();
  if (box && box.width * box.height > (innerWidth * innerHeight) / 4)
    trouble.push(`the bar takes ${Math.round(box.width)} x ${Math.round(box.height)} px`);
  return trouble;
}
