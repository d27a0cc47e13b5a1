/** The height of the entries at the bottom of a phone, and the space around what has the focus. */
const NAV_PX = 72;

/**
 * The end of a page keeps the room of the highest line that the calls now have been: a page scrolled to its end would move
 * when calls end. A field that has the focus stays visible above the line when that grows.
 */
export function createRoomKeeper(root: HTMLElement) {
  const page = document.querySelector('main');
  let height = 0;
  let room = 0;

  return {
    /** While the line is measured, nothing may become shorter. */
    hold(): void {
      if (page && room > 0) page.style.marginBlockEnd = `${room}px`;
    },
    /** After the line was drawn. */
    keep(): void {
      const { height: high, width } = root.getBoundingClientRect();
      const isLine = width === document.documentElement.clientWidth;
      if (!page) return;
      room = isLine ? Math.max(room, high) : 0;
      page.style.marginBlockEnd = isLine ? `${room - high}px` : '';
      if (high === height) return;
      height = high;
      // What gets the focus stays above the line, and above the entries below it on a phone.
      document.documentElement.style.scrollPaddingBlockEnd = isLine ? `${high + NAV_PX}px` : '';
      const field = document.activeElement;
      if (!isLine || !field?.matches('main :is(input, select, textarea)')) return;
      if (field.getBoundingClientRect().bottom > root.getBoundingClientRect().top)
        field.scrollIntoView({ block: 'nearest' });
    },
  };
}
