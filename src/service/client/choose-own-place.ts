/** Chooses the browser's own country and time zone on the first page, where nothing is chosen yet. */
export function chooseOwnPlace(): void {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  choose('f-country', new Intl.Locale(navigator.language).maximize().region);
  choose('f-zone', timeZone);
}

function choose(id: string, value: string | undefined): void {
  const list = document.getElementById(id);
  if (!(list instanceof HTMLSelectElement) || list.value !== '') return;
  list.value = value ?? '';
  if (list.selectedIndex < 0) list.value = '';
}
