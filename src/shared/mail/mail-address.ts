/** One address without a name: `pbx@example.com`. */
export const mailAddress = /^[^\s@<>,;:"\\]+@[^\s@<>,;:"\\]+$/;
