import type { Screen } from './screen.ts';

/** What somebody has typed and not sent. */
type Draft = {
  readonly user: string;
  /** The page, and its fields by {@link fieldsOf}: what was typed, and what stood there before. */
  readonly page: string;
  readonly typed: readonly (readonly [field: string, value: string, before: string])[];
};

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

const KEY = 'draft';

/** What leads back to this page after signing in. */
export const signInPath = () => `/sign-in?${new URLSearchParams({ to: pageNow() })}`;

const pageNow = () => location.pathname + location.search;

/**
 * Keeps what is typed when the session ends elsewhere: the page leaves, since no caller's name may stay on it, and has it
 * again when the same user has signed in. What is not sent and not followed by signing in, or is another user's, is
 * forgotten. Nor is it kept when somebody signs out here. What a colleague has changed meanwhile is not written over: what was
 * typed is then shown above the page.
 */
export function keepDrafts({ uid: user, words }: Pick<Screen, 'uid' | 'words'>): void {
  const text = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  const draft: Draft | null = JSON.parse(text ?? 'null');
  const isBack = document.referrer.startsWith(`${location.origin}/sign-in`);
  if (isBack && draft?.user === user && draft.page === pageNow()) {
    const left = restore(draft);
    if (left.length > 0) show(words.notFilledIn, left);
  }
  let signsOut = false;
  addEventListener('submit', ({ target }) => {
    signsOut =
      target instanceof HTMLFormElement && (target.getAttribute('action') ?? '').includes('/sign-out');
  });
  addEventListener('pagehide', () => {
    if (!signsOut) keep(user);
  });
}

function keep(user: string): void {
  const typed = [...fieldsOf(document)].flatMap(([name, field]) =>
    isChanged(field) ? [[name, written(field), before(field)] as const] : [],
  );
  if (typed.length === 0) return;
  const draft: Draft = { user, page: pageNow(), typed };
  try {
    sessionStorage.setItem(KEY, JSON.stringify(draft));
  } catch {
    // A pasted table can be larger than what browsers keep.
  }
}

/** Fills in what was typed. Returns what was typed in fields that are no more, or have another content now. */
function restore({ typed }: Draft): readonly string[] {
  const fields = fieldsOf(document);
  return typed.flatMap(([name, value, was]) => {
    const field = fields.get(name);
    const isTick = ['true', 'false'].includes(was);
    if (field === undefined || before(field) !== was) return isTick ? [] : [value];
    if (isTicked(field)) field.checked = value === 'true';
    else field.value = value;
    for (let fold = field.closest('details'); fold; fold = fold.parentElement?.closest('details') ?? null)
      fold.open = true;
    field.dispatchEvent(new Event('input', { bubbles: true }));
    return [];
  });
}

function show(text: string, left: readonly string[]): void {
  const box = document.createElement('div');
  box.className = 'notice';
  box.setAttribute('role', 'alert');
  for (const line of [text, ...left])
    box.append(Object.assign(document.createElement('p'), { textContent: line }));
  document.querySelector('main')?.prepend(box);
}

/**
 * The fields of forms that change something, without secrets and files: by form, with what it says of the state that it
 * changes, by name, and by place among those of that name.
 */
function fieldsOf(page: Document): Map<string, Field> {
  const fields = new Map<string, Field>();
  const selector = ['input', 'select', 'textarea'].map((tag) => `main form[method=post] ${tag}[name]`).join();
  const counts = new Map<string, number>();
  for (const field of page.querySelectorAll<Field>(selector)) {
    const isSecret = field.autocomplete === 'one-time-code' || field.dataset.secret !== undefined;
    if (/^(?:hidden|password|file|submit)$/.test(field.type) || isSecret) continue;
    const name = `${field.form?.getAttribute('action')} ${hiddenIn(field.form)} ${field.name}`;
    const nth = (counts.get(name) ?? 0) + 1;
    counts.set(name, nth);
    fields.set(`${name} ${nth}`, field);
  }
  return fields;
}

/** Which note of several, or the customer as it was read; the session's token is another one now. */
function hiddenIn(form: HTMLFormElement | null): string {
  const hidden = form?.querySelectorAll<HTMLInputElement>('input[type=hidden][name]:not([name=token])') ?? [];
  return [...hidden].map(({ name, value }) => `${name}=${value}`).join('&');
}

const isTicked = (field: Field): field is HTMLInputElement =>
  field instanceof HTMLInputElement && (field.type === 'checkbox' || field.type === 'radio');

const written = (field: Field) => (isTicked(field) ? String(field.checked) : field.value);

/** What stood there when the page came. */
function before(field: Field): string {
  if (field instanceof HTMLSelectElement) {
    const options = [...field.options];
    return (options.find(({ defaultSelected }) => defaultSelected) ?? options[0])?.value ?? '';
  }
  return isTicked(field) ? String(field.defaultChecked) : field.defaultValue;
}

const isChanged = (field: Field): boolean => written(field) !== before(field);
