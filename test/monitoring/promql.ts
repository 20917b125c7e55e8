/** Parses the part of PromQL that rules and dashboards here use, and says which metrics and labels they name. */

export interface Selected {
  readonly metric: string;
  readonly labels: readonly string[];
}

export interface Expression {
  readonly selected: readonly Selected[];
  /** Named in `by`, `on` and `group_left`. */
  readonly grouped: readonly string[];
}

const aggregations = new Set(["sum", "min", "max", "count", "avg", "topk"]);
const functions = new Set(["rate", "increase", "histogram_quantile", "time", "absent", "vector"]);
const token =
  /\s*(?:([a-zA-Z_:][a-zA-Z0-9_:]*)|([0-9]+(?:\.[0-9]+)?)|("(?:[^"\\]|\\.)*")|(=~|!~|!=|==|<=|>=|[-+*/<>=(){}[\],]))/y;
const operators = ["or", "and", "unless", "==", "!=", "<", ">", "<=", ">=", "+", "-", "*", "/"];

export function parseExpression(text: string): Expression {
  const parser = new Parser(tokens(text), text);
  parser.expression();
  parser.end();
  return parser;
}

function tokens(text: string): string[] {
  const found: string[] = [];
  token.lastIndex = 0;
  while (token.lastIndex < text.trimEnd().length) {
    const at = token.lastIndex;
    const match = token.exec(text);
    if (match === null)
      throw new Error(`${text}: nothing is known that begins like ${text.slice(at)}`);
    found.push(match[0].trim());
  }
  return found;
}

class Parser implements Expression {
  readonly selected: Selected[] = [];
  readonly grouped: string[] = [];
  readonly #tokens: readonly string[];
  readonly #text: string;
  #at = 0;

  constructor(all: readonly string[], text: string) {
    this.#tokens = all;
    this.#text = text;
  }

  expression(): void {
    this.#operand();
    while (operators.includes(this.#next)) {
      this.#at++;
      while (["on", "ignoring", "group_left", "group_right"].includes(this.#next)) {
        this.#at++;
        this.grouped.push(...this.#labels());
      }
      this.#operand();
    }
  }

  end(): void {
    if (this.#at < this.#tokens.length) this.#refuse("the end");
  }

  #operand(): void {
    if (this.#skip("(")) {
      this.expression();
      return this.#take(")");
    }
    const word = this.#next;
    if (/^[0-9]/.test(word)) return void this.#at++;
    if (!/^[a-zA-Z_:]/.test(word)) return this.#refuse("a metric, a function or a number");
    this.#at++;
    if (aggregations.has(word)) return this.#aggregation();
    if (this.#next === "(") return this.#call(word);
    return this.#selector(word);
  }

  #aggregation(): void {
    const isFirst = this.#grouping();
    this.#take("(");
    this.#listed();
    if (!isFirst) this.#grouping();
  }

  #grouping(): boolean {
    if (!this.#skip("by") && !this.#skip("without")) return false;
    this.grouped.push(...this.#labels());
    return true;
  }

  #call(name: string): void {
    if (!functions.has(name)) throw new Error(`${this.#text}: there is no function ${name}`);
    this.#take("(");
    this.#listed();
  }

  /** Arguments up to the closing parenthesis. */
  #listed(): void {
    while (!this.#skip(")")) {
      this.expression();
      if (this.#next !== ")") this.#take(",");
    }
  }

  #selector(metric: string): void {
    const labels: string[] = [];
    if (this.#skip("{")) {
      while (!this.#skip("}")) {
        labels.push(this.#word());
        if (!["=", "!=", "=~", "!~"].includes(this.#next)) this.#refuse("a comparison");
        this.#at++;
        if (!this.#next.startsWith('"')) this.#refuse("a text");
        this.#at++;
        if (this.#next !== "}") this.#take(",");
      }
    }
    this.selected.push({ metric, labels });
    if (!this.#skip("[")) return;
    this.#take(this.#next.match(/^[0-9]+$/) ? this.#next : "a duration");
    this.#take(["s", "m", "h", "d"].includes(this.#next) ? this.#next : "a unit of time");
    this.#take("]");
  }

  #labels(): string[] {
    const labels: string[] = [];
    this.#take("(");
    while (!this.#skip(")")) {
      labels.push(this.#word());
      if (this.#next !== ")") this.#take(",");
    }
    return labels;
  }

  #word(): string {
    const word = this.#next;
    if (!/^[a-zA-Z_]/.test(word)) this.#refuse("a label");
    this.#at++;
    return word;
  }

  get #next(): string {
    return this.#tokens[this.#at] ?? "";
  }

  #skip(wanted: string): boolean {
    if (this.#next !== wanted) return false;
    this.#at++;
    return true;
  }

  #take(wanted: string): void {
    if (!this.#skip(wanted)) this.#refuse(wanted);
  }

  #refuse(wanted: string): never {
    const found = this.#next === "" ? "the end" : this.#next;
    throw new Error(`${this.#text}: ${wanted} is missing before ${found}`);
  }
}
