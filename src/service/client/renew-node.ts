/**
 * Makes a node what the fresh one is, keeping what is the same. False: a row came without its content, and is not here; it
 * has to be asked for.
 */
export function renewNode(old: Node, fresh: Node): boolean {
  if (isUnmoved(fresh)) return true;
  if (!(old instanceof Element) || !(fresh instanceof Element)) {
    if (old.nodeValue !== fresh.nodeValue) old.nodeValue = fresh.nodeValue;
    return true;
  }
  renewAttributes(old, fresh);
  return renewChildren(old, fresh);
}

function renewAttributes(old: Element, fresh: Element): void {
  for (const { name, value } of fresh.attributes)
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  for (const { name } of [...old.attributes])
    if (!fresh.hasAttribute(name) && !(name === 'open' && old.matches('details'))) old.removeAttribute(name);
}

function renewChildren(old: Element, fresh: Element): boolean {
  const freshKeys = new Set(keysOf(fresh));
  const byKey = new Map<string, Element>();
  for (const child of [...old.children]) {
    const key = child.getAttribute('data-key');
    if (key !== null && !freshKeys.has(key)) child.remove();
    else if (key !== null) byKey.set(key, child);
  }
  let isWhole = true;
  let next = old.firstChild;
  for (const child of [...fresh.childNodes]) {
    const key = child instanceof Element ? child.getAttribute('data-key') : null;
    const same = key !== null ? byKey.get(key) : next && isAlike(next, child) ? next : undefined;
    if (same === undefined) {
      // A row without its content that is not here came before the one that moved.
      if (isUnmoved(child)) isWhole = false;
      else old.insertBefore(document.adoptNode(child), next);
    } else {
      if (same === next) next = same.nextSibling;
      else old.insertBefore(same, next);
      isWhole = renewNode(same, child) && isWhole;
    }
  }
  while (next) {
    const after: ChildNode | null = next.nextSibling;
    next.remove();
    next = after;
  }
  return isWhole;
}

export const keysOf = (list: Element | null | undefined): (string | null)[] =>
  [...(list?.children ?? [])].map((row) => row.getAttribute('data-key'));

/** Whether it is a row that did not move, of which only the key was sent. */
const isUnmoved = (row: Node) => row instanceof Element && row.matches('tr[data-key]:empty');

const isAlike = (old: Node, fresh: Node) =>
  old.nodeName === fresh.nodeName && !(old instanceof Element && old.hasAttribute('data-key'));
