import type { UserRequest } from '../accounts/user-request.ts';
import { changeForm, hiddenFields } from '../kit/form.ts';
import { type Icon, icon } from '../kit/icon.ts';
import { openingHoursOf } from '../kit/opening-hours.ts';
import { type Html, html } from '../words/html.ts';
import { actForm, type Look, nameOf, subjectFields } from './call-back-form.ts';
import type { CallBack } from './call-backs.ts';
import type { CallerAction } from './caller-action-store.ts';
import { giveLink } from './give-page.ts';
import { nextMorning } from './next-try.ts';

/** Who has called again was answered, which nobody can undo. */
export const canUndo = ({ closed }: CallBack): boolean => closed !== null && closed.how !== 'reached';

/** On a page of one person: what was done last. */
const actedOn = ['taken', 'released', 'done', 'reopened', 'tried', 'remind'];

/**
 * The actions for a missed person; after one, the focus is on what comes next. A person whom a colleague has taken can be
 * taken over. `canGive`: a person whom the user has taken can be given to a colleague.
 */
export function buttons(
  one: CallBack,
  request: UserRequest,
  canGive: boolean,
  is: 'row' | 'notice' = 'row',
): Html {
  const { query, user, words, path } = request;
  const text = words.callBack;
  const at = query.get('at');
  const focus = path === '/call-back' ? at === one.person : actedOn.includes(at ?? '');
  const act = (kind: CallerAction['kind'], content: Html, look?: Look) =>
    actForm(one, request, content, kind, look);
  if (one.closed !== null)
    return canUndo(one) && act('reopened', html`${icon('undo-2')}${text.undo}`, { focus });
  if (one.taken?.user === user.name)
    return html`${act('done', html`${icon('check')}${words.bar.done}`, { is: is === 'notice' ? 'primary' : 'soft', focus })}${menu(
      one,
      request,
      { summary: text.notReached, title: text.tryAgain },
      timeChoices('tried', request),
    )}${menu(one, request, { summary: icon('ellipsis'), title: text.remind, label: text.more }, [
      timeChoices('remind', request),
      html`<button name="kind" value="released">${icon('x')}${text.release}</button>`,
      canGive && giveLink(one, request),
    ])}`;
  const take = act('taken', one.taken === null ? words.bar.take : words.bar.takeOver, {
    is: is === 'notice' ? 'primary' : 'soft',
    focus,
    dials: one.taken === null,
  });
  const done = (content: Html, look: Look) => act('done', content, look);
  return html`${take}${
    is === 'notice'
      ? done(words.bar.done, { focus: false })
      : done(icon('check'), { is: 'bare', label: words.bar.done })
  }`;
}

type Menu = { readonly summary: Html; readonly title: string; readonly label?: string };

/** A menu of one row: one form, whose buttons say what to do. */
function menu(one: CallBack, request: UserRequest, { summary, title, label }: Menu, content: Html): Html {
  const name = label && `${label}: ${nameOf(one)}`;
  return html`<details class="menu"><summary class=${label ? 'button bare' : 'button'} title=${label} aria-label=${name ?? `${request.words.callBack.notReached}: ${nameOf(one)}`}>${summary}</summary><div>
    ${changeForm(
      { action: '/call-back', token: request.token, label: title, refused: request.words.bar.refused },
      html`${hiddenFields(subjectFields(one, request))}<p class="small quiet">${title}</p>${content}`,
    )}
  </div></details>`;
}

/** When to try again, or to be reminded. */
function timeChoices(kind: 'tried' | 'remind', { now, formats, account, words }: UserRequest): Html {
  const text = words.callBack;
  const morning = nextMorning(now, { timeZone: formats.timeZone, hours: openingHoursOf(account) });
  const choice = (when: string, content: Html, picture: Icon = 'clock') =>
    html`<button name="kind" value=${`${kind} ${when}`}>${icon(picture)}${content}</button>`;
  // Enter in the field presses the form's first button.
  return html`<button hidden name="kind" value=${`${kind} time`}></button>${choice('15', text.in15)}${choice('60', text.in60)}${choice('morning', `${formats.day(morning, now)}, ${formats.time(morning)}`)}
    <div class="pair"><input type="text" name="time" size="5" maxlength="5" inputmode="numeric" autocomplete="off" placeholder="15:00" aria-label=${text.atTime} /><button class="soft" name="kind" value=${`${kind} time`}>${text.set}</button></div>`;
}
