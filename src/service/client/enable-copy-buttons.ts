/** How long a button says that it has copied, ms. */
const SAID_MS = 2000;

/** Makes copy buttons work. Pages have no clipboard without https: then the text is selected. */
export function enableCopyButtons(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]')) enable(button);
}

function enable(button: HTMLButtonElement): void {
  const said = button.querySelector('span');
  if (said === null) return;
  const label = said.textContent;
  button.hidden = false;
  button.addEventListener('click', async () => {
    const text = document.getElementById(button.dataset.copy ?? '');
    if (text === null) return;
    getSelection()?.selectAllChildren(text);
    const copied = await (navigator.clipboard?.writeText(text.textContent ?? '').then(
      () => true,
      () => false,
    ) ?? document.execCommand('copy'));
    said.textContent = (copied ? button.dataset.copied : button.dataset.press) ?? '';
    setTimeout(() => {
      said.textContent = label;
    }, SAID_MS);
  });
}
