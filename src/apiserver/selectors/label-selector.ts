/** Label selectors as written in a query: `tier in (a,b),!canary,app=web`. */
import { labelValueProblems, qualifiedNameProblems } from "../../api/label-syntax.ts";
import { badRequest } from "../errors.ts";
import type { WantedLabel } from "../store/label-index.ts";

type Operator = "exists" | "!" | "=" | "==" | "!=" | "in" | "notin" | ">" | "<";

interface Requirement {
  readonly key: string;
  readonly operator: Operator;
  readonly values: readonly string[];
}

export type Labels = Readonly<Record<string, string>>;
export interface LabelSelector {
  readonly matches: (labels: Labels) => boolean;
  /** Labels of which every match has exactly this value. */
  readonly wanted: readonly WantedLabel[];
}

interface Token {
  readonly text: string;
  readonly kind: "symbol" | "word" | "end";
}

/** Undefined where the text selects everything. Refuses with 400 what Kubernetes cannot parse. */
export function parseLabelSelector(text: string): LabelSelector | undefined {
  const requirements = new Parser(tokens(text)).requirements();
  if (requirements.length === 0) return undefined;
  return {
    matches: (labels) => requirements.every((requirement) => isMet(requirement, labels)),
    wanted: requirements
      .filter(({ operator, values }) => isExact.has(operator) && values.length === 1)
      .map(({ key, values: [value = ""] }) => ({ key, value })),
  };
}

const isExact: ReadonlySet<Operator> = new Set(["=", "==", "in"]);

function isMet({ key, operator, values }: Requirement, labels: Labels): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case "exists":
      return value !== undefined;
    case "!":
      return value === undefined;
    case "=":
    case "==":
    case "in":
      return value !== undefined && values.includes(value);
    case "!=":
    case "notin":
      return value === undefined || !values.includes(value);
    case ">":
      return isInteger(value) && Number(value) > Number(values[0]);
    case "<":
      return isInteger(value) && Number(value) < Number(values[0]);
  }
}

function isInteger(value: string | undefined): boolean {
  return value !== undefined && /^[+-]?\d+$/.test(value);
}

const lexemes = /\s*(?:(==|!=|[=!(),<>])|([^\s=!(),<>]+))/gy;

function tokens(text: string): readonly Token[] {
  const found: Token[] = [];
  for (const [, symbol, word] of text.matchAll(lexemes)) {
    if (symbol !== undefined) found.push({ kind: "symbol", text: symbol });
    if (word !== undefined) found.push({ kind: "word", text: word });
  }
  return [...found, { kind: "end", text: "" }];
}

const operators = ["in", "notin", "=", "==", "!=", ">", "<"];

class Parser {
  readonly #tokens: readonly Token[];
  #position = 0;

  constructor(list: readonly Token[]) {
    this.#tokens = list;
  }

  requirements(): readonly Requirement[] {
    const found: Requirement[] = [];
    if (this.#peek().kind === "end") return found;
    for (;;) {
      if (!this.#startsRequirement()) {
        const expected = found.length === 0 ? "!, identifier, or 'end of string'" : undefined;
        throw badRequest(
          `found '${this.#peek().text}', expected: ${expected ?? "identifier after ','"}`,
        );
      }
      found.push(this.#requirement());
      const separator = this.#next();
      if (separator.kind === "end") return found;
      if (separator.text !== ",") {
        throw badRequest(`found '${separator.text}', expected: ',' or 'end of string'`);
      }
    }
  }

  #startsRequirement(): boolean {
    const token = this.#peek();
    return token.kind === "word" || token.text === "!";
  }

  #requirement(): Requirement {
    if (this.#peek().text === "!") {
      this.#next();
      return { key: this.#key(), operator: "!", values: [] };
    }
    const key = this.#key();
    const following = this.#peek();
    if (following.kind === "end" || following.text === ",") {
      return { key, operator: "exists", values: [] };
    }
    const { text } = this.#next();
    if (!operators.includes(text)) {
      throw unparsed(`found '${text}', expected: ${operators.join(", ")}`);
    }
    const operator = text as Operator;
    const isSet = operator === "in" || operator === "notin";
    const values = isSet ? this.#valueSet() : [this.#exactValue()];
    return checked({ key, operator, values });
  }

  #key(): string {
    const { kind, text } = this.#next();
    if (kind !== "word") throw unparsed(`found '${text}', expected: identifier`);
    const [problem] = qualifiedNameProblems(text);
    if (problem !== undefined) throw unparsed(nameProblem("<nil>", text, problem));
    return text;
  }

  /** `key=` alone asks for the empty value. */
  #exactValue(): string {
    return this.#peek().kind === "word" ? this.#next().text : "";
  }

  #valueSet(): readonly string[] {
    const open = this.#next();
    if (open.text !== "(") throw unparsed(`found '${open.text}' expected: '('`);
    const values: string[] = [];
    for (;;) {
      const hasWord = this.#peek().kind === "word";
      values.push(this.#exactValue());
      const { text } = this.#next();
      if (text === ")") return values;
      const expected = hasWord ? "',' or ')'" : "',', ')' or identifier";
      if (text !== ",") throw unparsed(`found '${text}', expected: ${expected}`);
    }
  }

  #peek(): Token {
    return this.#tokens[this.#position] ?? { kind: "end", text: "" };
  }

  #next(): Token {
    const token = this.#peek();
    this.#position++;
    return token;
  }
}

function checked(requirement: Requirement): Requirement {
  const { key, operator, values } = requirement;
  if (operator === ">" || operator === "<") {
    if (isInteger(values[0])) return requirement;
    const rule = "for 'Gt', 'Lt' operators, the value must be an integer";
    throw unparsed(nameProblem("values[0]", values[0] ?? "", rule));
  }
  for (const [index, value] of values.entries()) {
    const [problem] = labelValueProblems(value);
    if (problem !== undefined)
      throw unparsed(nameProblem(`values[${index}][${key}]`, value, problem));
  }
  return requirement;
}

function nameProblem(field: string, value: string, rule: string): string {
  return `${field}: Invalid value: ${JSON.stringify(value)}: ${rule}`;
}

function unparsed(why: string): Error {
  return badRequest(`unable to parse requirement: ${why}`);
}
