import type { SegmentRequest } from '../accounts/user-request.ts';
import { plainText } from '../rules/plain-text.ts';
import { type Html, html } from '../words/html.ts';

/** The choice of a segment among the filters of a list, also of one that was removed; nothing where there are none. */
export function segmentChoice(chosen: string, of: string, { words, segments }: SegmentRequest): Html {
  const names = [...new Set([...segments.map(({ name }) => name), ...(chosen ? [chosen] : [])])];
  return (
    names.length > 0 &&
    html`<select name="segment" aria-label=${words.calls.segment}>
      <option value="">${of}: ${words.common.all}</option>
      ${names.map((name) => html`<option value=${name} selected=${name === chosen}>${plainText(name, 40)}</option>`)}
    </select>`
  );
}
