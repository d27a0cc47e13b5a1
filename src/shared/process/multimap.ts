/** Adds to the items of a key. */
export function addTo<Key, Item>(table: Map<Key, Set<Item>>, key: Key, item: Item): void {
  const items = table.get(key);
  if (items === undefined) table.set(key, new Set([item]));
  else items.add(item);
}

/** Removes from the items of a key, and the key with its last item. */
export function removeFrom<Key, Item>(table: Map<Key, Set<Item>>, key: Key, item: Item): void {
  const items = table.get(key);
  items?.delete(item);
  if (items?.size === 0) table.delete(key);
}
