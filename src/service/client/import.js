/** While an import runs, says how far it is. */
export {};

const progress = document.getElementById('progress');
const form = /** @type {HTMLFormElement | null} */ (document.getElementById(progress?.dataset.form ?? ''));
form?.addEventListener('submit', ({ submitter }) => {
  if (progress === null || submitter?.getAttribute('name') !== 'confirmed') return;
  setInterval(async () => {
    const answer = await fetch('/customers/import/progress').catch(() => null);
    if (answer?.ok) progress.textContent = await answer.text();
  }, 1_000);
});
