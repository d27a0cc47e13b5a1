import type { StorageErrorKind } from '../../../shared/storage/storage-error.ts';
import type { StorageState } from './store.ts';

/** How the storage is when it does not work. */
export type Trouble = Exclude<StorageState['state'], 'working'>;

/** What is done with requests that failed together, of which none was done. */
type Remedy =
  /** It is at fault: its sender gets the error. */
  | { readonly do: 'refuse' }
  /** One of them is at fault: the others must not suffer for it. */
  | { readonly do: 'each alone' }
  /** As many as fit are written, the others held. */
  | { readonly do: 'write what fits' }
  /** They wait, or what only reads among them is answered. */
  | { readonly do: 'again' | 'hold'; readonly enter: Trouble }
  | { readonly do: 'repair' }
  /** The program ends. */
  | { readonly do: 'give up' };

type Failed = {
  readonly kind: StorageErrorKind;
  readonly state: StorageState['state'];
  readonly count: number;
  /** The file was repaired for these requests already. */
  readonly isRepaired: boolean;
};

export function remedyOf({ kind, state, count, isRepaired }: Failed): Remedy {
  switch (kind) {
    case 'other':
      return { do: count === 1 ? 'refuse' : 'each alone' };
    case 'full':
      return state === 'full' ? { do: 'write what fits' } : { do: 'again', enter: 'full' };
    case 'moved':
      return { do: 'hold', enter: 'moved' };
    case 'corrupt':
      return { do: isRepaired ? 'give up' : 'repair' };
    default:
      return { do: 'hold', enter: 'failing' };
  }
}
