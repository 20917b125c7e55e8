/** The long sentences that a server repeats in many messages. */

const ends = "and must start and end with an alphanumeric character";

export const subdomainRule =
  `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', ${ends} ` +
  "(e.g. 'example.com', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

export const dnsLabelRule =
  `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', ${ends} ` +
  "(e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

export const labelValueRule =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', " +
  `${ends} (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is ` +
  "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

/** Follows `name part` or `a valid label key`. */
export const qualifiedNameRule =
  `must consist of alphanumeric characters, '-', '_' or '.', ${ends} ` +
  "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
  "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
