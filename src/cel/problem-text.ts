/** Turns the CEL library's errors into the words of the Go implementation that Kubernetes uses. */
import { EvaluationError, ParseError, TypeError as CelTypeError } from "@marcbachmann/cel-js";

/** `compilation failed: ERROR: <input>:1:6: undefined field 'x'` with the line and a marker below it. */
export function compileProblemText(
  error: unknown,
  expression: string,
  knownFunctions: ReadonlySet<string>,
): string {
  if (!(error instanceof ParseError || error instanceof CelTypeError)) {
    return `compilation failed: ${error instanceof Error ? error.message : String(error)}`;
  }
  const { text, offset } = translated(error, { expression, knownFunctions });
  const before = expression.slice(0, offset);
  const line = before.split("\n").length;
  const column = offset - (before.lastIndexOf("\n") + 1);
  const source = expression.split("\n")[line - 1] ?? "";
  const kind = error instanceof ParseError ? "Syntax error: " : "";
  return (
    `compilation failed: ERROR: <input>:${line}:${column + 1}: ${kind}${text}\n` +
    ` | ${source}\n | ${".".repeat(column)}^`
  );
}

interface Located {
  readonly text: string;
  readonly offset: number;
}

interface Source {
  readonly expression: string;
  readonly knownFunctions: ReadonlySet<string>;
}

/** What the grammar of the Go implementation lists where an operand is missing. */
const operandMissing =
  "mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', " +
  "NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

function translated(error: ParseError | CelTypeError, source: Source): Located {
  const start = error.range?.start ?? 0;
  switch (error.code) {
    case "no_such_key": {
      const field = /No such key: (.*)/.exec(error.summary)?.[1] ?? "";
      return { text: `undefined field '${field}'`, offset: Math.max(0, start - 1) };
    }
    case "unknown_variable": {
      const name = /Unknown variable: (.*)/.exec(error.summary)?.[1] ?? "";
      return { text: `undeclared reference to '${name}' (in container '')`, offset: start };
    }
    case "no_such_overload":
      return operatorProblem(error, source.expression, start);
    case "no_matching_overload":
      return callProblem(error, source, start);
    default: {
      const text = error.summary === "Unexpected token: EOF" ? operandMissing : error.summary;
      return { text, offset: start };
    }
  }
}

/** `no such overload: string + int` -> `found no matching overload for '_+_' applied to '(string, int)'`. */
function operatorProblem(
  error: ParseError | CelTypeError,
  expression: string,
  start: number,
): Located {
  const parts = /no such overload: (.*) (\S+) (.*)/.exec(error.summary);
  if (parts === null) return { text: error.summary, offset: start };
  const [, left = "", operator = "", right = ""] = parts;
  const found = expression.indexOf(operator, start);
  const name = operator === "in" ? "@in" : `_${operator}_`;
  const text = `found no matching overload for '${name}' applied to '(${goType(left)}, ${goType(right)})'`;
  return { text, offset: found < 0 ? start : found };
}

/** `'string.nope(int)'` -> `'nope' applied to 'string.(int)'`; an unknown name is an undeclared reference. */
function callProblem(
  error: ParseError | CelTypeError,
  { expression, knownFunctions }: Source,
  start: number,
): Located {
  const parts = /overload for '(?:(.*)\.)?(\w+)\((.*)\)'/.exec(error.summary);
  if (parts === null) return { text: error.summary, offset: start };
  const [, receiver, name = "", types = ""] = parts;
  const args = types === "" ? "" : types.split(", ").map(goType).join(", ");
  const at = expression.indexOf(`${name}(`, start);
  const offset = (at < 0 ? start : at) + name.length;
  if (!knownFunctions.has(name)) {
    return { text: `undeclared reference to '${name}' (in container '')`, offset };
  }
  const applied = receiver === undefined ? `(${args})` : `${goType(receiver)}.(${args})`;
  return { text: `found no matching overload for '${name}' applied to '${applied}'`, offset };
}

function goType(type: string): string {
  return type.replaceAll("<", "(").replaceAll(">", ")");
}

export function evaluationProblemText(error: unknown): string {
  if (!(error instanceof EvaluationError))
    return error instanceof Error ? error.message : String(error);
  const { summary, code } = error;
  switch (code) {
    case "no_such_key":
      return summary.replace("No such key", "no such key");
    case "index_out_of_bounds":
      return `index out of bounds: ${/index (-?\d+)/.exec(summary)?.[1] ?? "?"}`;
    case "numeric_overflow":
      return "integer overflow";
    case "no_such_overload":
    case "no_matching_overload":
      return "no such overload";
    default:
      return summary;
  }
}
