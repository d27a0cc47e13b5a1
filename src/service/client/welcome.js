/** Chooses the browser's own country and time zone on the first page, where nothing is chosen yet. */
export {};

const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
const region = new Intl.Locale(navigator.language).maximize().region;

for (const [id, value] of [
  ['f-country', region],
  ['f-zone', timeZone],
]) {
  const list = document.getElementById(id ?? '');
  if (!(list instanceof HTMLSelectElement) || list.value !== '') continue;
  list.value = value ?? '';
  if (list.selectedIndex < 0) list.value = '';
}
