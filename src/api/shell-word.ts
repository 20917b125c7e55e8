/** Text in a command that people copy: what comes from a cluster or a file may not become part of the command. */

/** As one word of a shell, quoted where a shell would see anything else in it. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
