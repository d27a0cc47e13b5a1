import { faceOf } from '../rules/face.ts';
import { type Html, html } from '../words/html.ts';
import { icon } from './icon.ts';

/** Somebody's initials in a circle, for the eye alone: the name stands beside it. Who has no name gets a telephone. */
export function face(name: string, size: '' | 's' | 'l' = ''): Html {
  const { letters, tint } = faceOf(name);
  return html`<span class=${`face ${size} ${letters && `f${tint}`}`.trim()} aria-hidden="true">${letters ? html`<bdi>${letters}</bdi>` : icon('phone')}</span>`;
}
