/** The places of a template, such as `https://crm.example/?phone={number}&customer={reference}`. */
const places = /\{(number|reference)\}/g;

const fill = (template: string, values: { readonly number: string; readonly reference: string }) =>
  template.replace(places, (_, name: keyof typeof values) => encodeURIComponent(values[name]));

/**
 * Whether a text is the address of a page, with http or https, in which a caller has a place: after the host, so that no
 * number or reference leads to another host.
 */
export function isCrmTemplate(template: string): boolean {
  const [one, two] = ['1', '2'].map((text) => URL.parse(fill(template, { number: text, reference: text })));
  return (
    one != null &&
    two != null &&
    ['http:', 'https:'].includes(one.protocol) &&
    one.username === '' &&
    one.password === '' &&
    one.origin === two.origin &&
    one.href !== two.href
  );
}

/** The address of a caller in the office's own program. `reference`: of the customer, '' for a stranger. */
export const crmLink = fill;
