import { type Fields, fieldKey } from './wire/frame.ts';

/** The events that answer an action whose answer is a list. */
export type ListEvents<Item> = {
  /** The name of the events that are the list's items, and of the one that ends it. */
  readonly item: string;
  readonly last: string;
  /** Makes an item's result of its fields; undefined: no result. The fields are valid only during the call. */
  read(fields: Fields): Item | undefined;
};

export type List<Item> =
  /** `isPartial`: some of its items could not be read, or did not come. */
  | { readonly ok: true; readonly items: readonly Item[]; readonly isPartial: boolean }
  | { readonly ok: false; readonly message: string };

type OpenList = Pick<ListEvents<unknown>, 'item' | 'last'> & {
  add(fields: Fields): void;
  end(fields: Fields): void;
};

const actionIdKey = fieldKey('ActionID');
const listItemsKey = fieldKey('ListItems');

/** The lists that are being read on one connection, by ActionID. */
export function createOpenLists() {
  const lists = new Map<string, OpenList>();
  /** How many of them have events with this name. */
  const events = new Map<string, number>();

  function close(actionId: string): void {
    const list = lists.get(actionId);
    if (!lists.delete(actionId) || list === undefined) return;
    for (const event of [list.item, list.last]) events.set(event, (events.get(event) ?? 0) - 1);
  }

  return {
    /** Reads a list until its last event, which calls `done`, or until it is closed. */
    open<Item>(actionId: string, { item, last, read }: ListEvents<Item>, done: (list: List<Item>) => void) {
      const items: Item[] = [];
      let came = 0;
      lists.set(actionId, {
        item,
        last,
        add(fields) {
          came += 1;
          const result = read(fields);
          if (result !== undefined) items.push(result);
        },
        end(fields) {
          const announced = Number(fields(listItemsKey) ?? came);
          done({ ok: true, items, isPartial: announced !== came || items.length !== came });
        },
      });
      for (const event of [item, last]) events.set(event, (events.get(event) ?? 0) + 1);
    },
    close,
    /** Asked for every event: it must not depend on how many lists are being read. */
    has: (event: string): boolean => (events.get(event) ?? 0) > 0,
    /** False if the event belongs to no list. */
    take(event: string, fields: Fields): boolean {
      const actionId = fields(actionIdKey) ?? '';
      const list = lists.get(actionId);
      if (event === list?.item) list.add(fields);
      else if (event === list?.last) {
        close(actionId);
        list.end(fields);
      } else return false;
      return true;
    },
  };
}
