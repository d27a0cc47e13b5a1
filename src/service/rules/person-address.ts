/** Who calls: a customer by reference, or a stranger by number. */
type Caller = { readonly customer: { readonly reference: string } | null; readonly number: string };

/** The page of a person; `back`: the page that it leads back to. */
export const personAddress = ({ customer, number }: Caller, back: string): string =>
  `/person?${new URLSearchParams({ ...(customer ? { customer: customer.reference } : { number }), back })}`;
