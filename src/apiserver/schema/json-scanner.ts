/** Reads JSON text key by key, to find duplicate keys, which JSON.parse hides, and to give Go's error messages. */

/** Text that is not JSON; the message is Go's. */
export class JsonSyntaxError extends Error {
  override readonly name = "JsonSyntaxError";
}

/** Deeper bodies are refused: everything that walks JSON here recurses. */
export const maxJsonDepth = 1000;

/** Follows the scan from value to value. */
export interface JsonVisitor {
  /** The value of a key or of an index begins; the same object may have had this key before. */
  enter(part: string | number, isDuplicate: boolean): void;
  /** It has ended. */
  leave(): void;
}

const keyStart = "looking for beginning of object key string";
const escapes = new Set('bfnrt\\/"');

export class JsonScanner {
  private position = 0;
  private readonly text: string;
  private readonly visitor: JsonVisitor | undefined;

  constructor(text: string, visitor?: JsonVisitor) {
    this.text = text;
    this.visitor = visitor;
  }

  /** Throws JsonSyntaxError where the text is not one JSON value. */
  scan(): void {
    this.value(0);
    this.skipSpace();
    if (this.position < this.text.length) throw this.unexpected("after top-level value");
  }

  private value(depth: number): void {
    this.skipSpace();
    const start = this.text[this.position];
    if ((start === "{" || start === "[") && depth >= maxJsonDepth) {
      throw this.unexpected("exceeded max depth");
    }
    if (start === "{") this.object(depth);
    else if (start === "[") this.array(depth);
    else if (start === '"') this.string();
    else if (start === "t") this.literal("true");
    else if (start === "f") this.literal("false");
    else if (start === "n") this.literal("null");
    else if (start !== undefined && /[-0-9]/.test(start)) this.number();
    else throw this.unexpected("looking for beginning of value");
  }

  private object(depth: number): void {
    this.position += 1;
    const seen = new Set<string>();
    if (this.closes("}")) return;
    for (;;) {
      this.skipSpace();
      if (this.text[this.position] !== '"') throw this.unexpected(keyStart);
      const key = this.string();
      this.visitor?.enter(key, seen.has(key));
      seen.add(key);
      this.expect(":", "after object key");
      this.value(depth + 1);
      this.visitor?.leave();
      if (this.closes("}")) return;
      this.expect(",", "after object key:value pair");
    }
  }

  private array(depth: number): void {
    this.position += 1;
    if (this.closes("]")) return;
    for (let index = 0; ; index += 1) {
      this.visitor?.enter(index, false);
      this.value(depth + 1);
      this.visitor?.leave();
      if (this.closes("]")) return;
      this.expect(",", "after array element");
    }
  }

  private string(): string {
    const start = this.position;
    this.position += 1;
    for (;;) {
      const char = this.text[this.position];
      if (char === undefined) throw endOfInput();
      if (char === '"') break;
      if (char < " ") throw this.unexpected("in string literal");
      if (char === "\\") this.escape();
      else this.position += 1;
    }
    this.position += 1;
    return JSON.parse(this.text.slice(start, this.position)) as string;
  }

  private escape(): void {
    this.position += 1;
    const char = this.text[this.position] ?? " ";
    if (escapes.has(char)) {
      this.position += 1;
      return;
    }
    if (char !== "u") throw this.unexpected("in string escape code");
    this.position += 1;
    for (let digit = 0; digit < 4; digit += 1) {
      this.advance(/[0-9a-fA-F]/, "in \\u hexadecimal character escape");
    }
  }

  private number(): void {
    if (this.text[this.position] === "-") this.position += 1;
    if (this.text[this.position] === "0") this.position += 1;
    else this.digits("in numeric literal");
    if (this.text[this.position] === ".") {
      this.position += 1;
      this.digits("after decimal point in numeric literal");
    }
    if (/[eE]/.test(this.text[this.position] ?? "")) {
      this.position += 1;
      if (/[-+]/.test(this.text[this.position] ?? "")) this.position += 1;
      this.digits("in exponent of numeric literal");
    }
  }

  private digits(problem: string): void {
    this.advance(/[0-9]/, problem);
    while (/[0-9]/.test(this.text[this.position] ?? "")) this.position += 1;
  }

  private literal(word: string): void {
    for (const letter of word) {
      const wanted = `in literal ${word} (expecting '${letter}')`;
      if (this.text[this.position] !== letter) throw this.unexpected(wanted, " ");
      this.position += 1;
    }
  }

  private advance(pattern: RegExp, problem: string): void {
    if (!pattern.test(this.text[this.position] ?? "")) throw this.unexpected(problem, " ");
    this.position += 1;
  }

  private closes(bracket: string): boolean {
    this.skipSpace();
    if (this.text[this.position] !== bracket) return false;
    this.position += 1;
    return true;
  }

  private expect(char: string, problem: string): void {
    this.skipSpace();
    if (this.text[this.position] !== char) throw this.unexpected(problem);
    this.position += 1;
  }

  private skipSpace(): void {
    while (/[ \t\r\n]/.test(this.text[this.position] ?? "")) this.position += 1;
  }

  /** Go feeds a space at the end of input, so errors about incomplete words and numbers mention it. */
  private unexpected(problem: string, atEnd?: string): JsonSyntaxError {
    const char = this.text[this.position] ?? atEnd;
    if (char === undefined) return endOfInput();
    return new JsonSyntaxError(`invalid character ${quoted(char)} ${problem}`);
  }
}

const endOfInput = (): JsonSyntaxError => new JsonSyntaxError("unexpected end of JSON input");

function quoted(char: string): string {
  if (char === "'") return String.raw`'\''`;
  if (char === '"') return `'"'`;
  return `'${JSON.stringify(char).slice(1, -1)}'`;
}
