/** Calls a number with whatever the computer dials with; without one, nothing happens. */
export function dial(number: string): void {
  const link = document.createElement('a');
  link.href = `tel:${number}`;
  // A link, since a page that is sent to an address ends its requests in some browsers.
  document.body.append(link);
  link.click();
  link.remove();
}
