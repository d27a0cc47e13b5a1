/** `prefix`: the table's alias in the statement, with its dot. */
export const columnsOf = (
  prefix = '',
) => `${prefix}id, ${prefix}uid, ${prefix}account_id AS account, ${prefix}name,
  ${prefix}sign_in_name AS "signInName", ${prefix}role, ${prefix}language, ${prefix}password, ${prefix}second_factor AS "secondFactor",
  ${prefix}link_counter AS "linkCounter", ${prefix}created_at AS "createdAt", ${prefix}bar`;
