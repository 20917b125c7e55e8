/** What is wrong with a body may be said any number of times, and each time at the length of the body. */

/** More than anybody reads. */
const mostTexts = 1_000;
const mostCharacters = 1024 * 1024;

/** Different texts in the order in which they came, as long as there is room. */
export class BoundedTexts {
  readonly #texts = new Set<string>();
  #characters = 0;

  get isFull(): boolean {
    return this.#texts.size >= mostTexts || this.#characters >= mostCharacters;
  }

  get all(): string[] {
    return [...this.#texts];
  }

  add(text: string): void {
    if (this.isFull) return;
    this.#texts.add(text);
    this.#characters += text.length;
  }
}
