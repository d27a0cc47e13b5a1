/** Makes copy buttons work. Pages have no clipboard without https: then the text is selected. */
export {};

for (const button of document.querySelectorAll('button[data-copy]')) {
  if (!(button instanceof HTMLButtonElement)) continue;
  button.hidden = false;
  const said = /** @type {HTMLElement} */ (button.querySelector('span'));
  const label = said.textContent;
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
    }, 2000);
  });
}
