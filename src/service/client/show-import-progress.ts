/** While an import runs, says how far it is. */
export function showImportProgress(): void {
  const progress = document.getElementById('progress');
  if (progress === null) return;
  document.getElementById(progress.dataset.form ?? '')?.addEventListener('submit', ({ submitter }) => {
    if (submitter?.getAttribute('name') !== 'confirmed') return;
    setInterval(async () => {
      const answer = await fetch('/customers/import/progress').catch(() => null);
      if (answer?.ok) progress.textContent = await answer.text();
    }, 1_000);
  });
}
