/** One address without a name: `pbx@example.com`. */
export const mailAddress = /^[^\s@<>,;:"\\]+@[^\s@<>,;:"\\]+$/;

/** Whether a text is one that a mail can be sent to; longer ones no server takes (RFC 5321, 4.5.3.1.3). */
export const isMailAddress = (text: string): boolean => mailAddress.test(text) && text.length <= 254;
