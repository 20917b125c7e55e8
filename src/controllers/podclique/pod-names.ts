/** Names for new pods. A creation whose answer was lost is repeated under the same name, so it cannot happen twice. */

const letters = "bcdfghjklmnpqrstvwxz2456789";
const suffixLength = 5;

export class PodNames {
  /** By clique uid and index: the name that may be taken already, by us. */
  readonly #open = new Map<string, Map<number, string>>();

  /** The name to create the pod of this index under; the same until it is settled. */
  nameFor(
    clique: { readonly name: string; readonly uid: string },
    index: number,
    nowMs: number,
  ): string {
    const names = this.#open.get(clique.uid) ?? new Map<number, string>();
    const name = names.get(index) ?? `${clique.name}-${suffix(`${clique.uid}/${index}/${nowMs}`)}`;
    this.#open.set(clique.uid, names.set(index, name));
    return name;
  }

  /** Whether this name was tried before, so that a pod of this name is ours. */
  isOpen(cliqueUid: string, index: number): boolean {
    return this.#open.get(cliqueUid)?.has(index) ?? false;
  }

  /** The server refused the name, or the pod has been seen. */
  settle(cliqueUid: string, index: number): void {
    const names = this.#open.get(cliqueUid);
    names?.delete(index);
    if (names?.size === 0) this.#open.delete(cliqueUid);
  }

  /** Settles every name that is among the pods seen. */
  settleSeen(cliqueUid: string, seen: ReadonlySet<string>): void {
    for (const [index, name] of this.#open.get(cliqueUid) ?? []) {
      if (seen.has(name)) this.settle(cliqueUid, index);
    }
  }

  forget(cliqueUid: string): void {
    this.#open.delete(cliqueUid);
  }
}

/** Five letters as a server would draw them, drawn from the text alone. */
function suffix(text: string): string {
  let sum = 0x811c9dc5;
  for (const byte of Buffer.from(text, "utf8")) sum = Math.imul(sum ^ byte, 0x01000193) >>> 0;
  // The lower bits of this hash are its weaker ones.
  let rest = (sum ^ (sum >>> 15)) >>> 0;
  let out = "";
  while (out.length < suffixLength) {
    out += letters[rest % letters.length];
    rest = Math.floor(rest / letters.length);
  }
  return out;
}
