/** Finds what the source can say: reasons of conditions and events, and sentences with a hole for each value. */
import { readFileSync } from "node:fs";
import { parseSync } from "vite";

interface Node {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** A text of which parts are known only when it is said. */
export interface Sentence {
  readonly file: string;
  /** With `…` for each hole. */
  readonly text: string;
  readonly pattern: RegExp;
}

type Visit = (node: Node, ancestors: readonly Node[]) => boolean | void;

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Node).type === "string";

const childrenOf = (node: Node): readonly Node[] =>
  Object.values(node).flatMap((value) =>
    Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : [],
  );

/** A visit that answers true has seen to everything below. */
function walk(node: Node, visit: Visit, ancestors: readonly Node[] = []): void {
  if (visit(node, ancestors) === true) return;
  for (const child of childrenOf(node)) walk(child, visit, [...ancestors, node]);
}

const programs = new Map<string, Node>();

function parsed(file: string): Node {
  const known = programs.get(file);
  const program = known ?? (parseSync(file, readFileSync(file, "utf8")).program as unknown as Node);
  programs.set(file, program);
  return program;
}

const hole = "…";

/** The text of a literal, a template, or a sum of them; undefined where it is something else. */
function textOf(node: Node | undefined): string | undefined {
  if (node === undefined) return undefined;
  if (node.type === "Literal") return typeof node["value"] === "string" ? node["value"] : undefined;
  if (node.type === "TemplateLiteral") {
    const quasis = node["quasis"] as readonly { value: { cooked: string } }[];
    return quasis.map(({ value }) => value.cooked).join(hole);
  }
  if (node.type !== "BinaryExpression" || node["operator"] !== "+") return undefined;
  const [left, right] = [node["left"], node["right"]].map((side) => textOf(side as Node));
  return left === undefined && right === undefined ? undefined : `${left ?? hole}${right ?? hole}`;
}

const isText = ({ type }: Node): boolean =>
  ["Literal", "TemplateLiteral", "BinaryExpression"].includes(type);

function nameOf(node: Node | undefined): string {
  const name = node?.["name"] ?? node?.["value"];
  return typeof name === "string" ? name : "";
}

/** Words that only developers read: questions to the server, access rules, help of flags and gauges. */
const unseen = new Set(["question", "why", "help", "description"]);
const isForDevelopers = (ancestors: readonly Node[]): boolean =>
  ancestors.some(
    (node) =>
      node.type === "ImportDeclaration" ||
      (node.type === "NewExpression" && nameOf(node["callee"] as Node).endsWith("Error")) ||
      unseen.has(nameOf((node["key"] ?? node["id"]) as Node | undefined)),
  );

const isSentence = (text: string): boolean => {
  const words = text.trim().split(/\s+/);
  return words.length >= 3 && words.filter((word) => /^[a-z]{2,}[,:;]?$/.test(word)).length >= 2;
};

const patternOf = (text: string): RegExp =>
  new RegExp(
    text
      .split(hole)
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
      .join("[^]*?"),
  );

export function sentencesIn(file: string): readonly Sentence[] {
  const found: Sentence[] = [];
  const visit: Visit = (node, ancestors) => {
    const text = isText(node) ? textOf(node) : undefined;
    if (text === undefined) return false;
    if (isSentence(text) && !isForDevelopers(ancestors)) {
      found.push({ file, text, pattern: patternOf(text) });
    }
    // The parts of a sum are in the sum; what stands in a hole may be a sentence of its own.
    for (const inside of holesOf(node)) walk(inside, visit, [...ancestors, node]);
    return true;
  };
  walk(parsed(file), visit);
  return found;
}

function holesOf(node: Node): readonly Node[] {
  if (node.type === "TemplateLiteral") return node["expressions"] as readonly Node[];
  if (node.type !== "BinaryExpression") return [];
  return [node["left"], node["right"]].flatMap((side) => {
    const part = side as Node;
    return isText(part) && textOf(part) !== undefined ? holesOf(part) : [part];
  });
}

/** Every text that a table holds. */
export function textsIn(file: string): readonly string[] {
  const found: string[] = [];
  walk(parsed(file), (node) => {
    const text = isText(node) ? textOf(node) : undefined;
    if (text !== undefined) found.push(text);
    return text !== undefined;
  });
  return found;
}

const isReasonWord = (text: string): boolean =>
  /^([A-Z][a-z]+){2,}$|^[A-Z][a-z]{5,}$/.test(text) && !["Normal", "Warning"].includes(text);
/** Reasons of pods are quoted, not given. */
const namesReasons = /^(?!brokenReasons).*reason/i;

/** Reasons as the source writes them, and the names of those that it takes from a list. */
export function reasonsIn(file: string): readonly string[] {
  const found = new Set<string>();
  walk(parsed(file), (node, ancestors) => {
    if (node.type === "MemberExpression") {
      const list = nameOf(node["object"] as Node);
      if (/^(condition|event)Reasons$/.test(list))
        found.add(`${list}.${nameOf(node["property"] as Node)}`);
    }
    const text = node.type === "Literal" ? textOf(node) : undefined;
    if (text !== undefined && isReasonWord(text) && isReason(node, ancestors)) found.add(text);
    return false;
  });
  return [...found];
}

function isReason(node: Node, ancestors: readonly Node[]): boolean {
  if (ancestors.some(({ type }) => /^TS|ImportDeclaration/.test(type))) return false;
  const parent = ancestors.at(-1);
  if (parent?.type === "BinaryExpression" || parent?.type === "SwitchCase") return false;
  if (parent?.type === "CallExpression") {
    const texts = (parent["arguments"] as readonly Node[]).filter((each) => each !== node);
    return texts.some(
      (each) => /message|text/i.test(nameOf(each)) || isSentence(textOf(each) ?? ""),
    );
  }
  return ancestors.some((each) => {
    const named = each["key"] ?? each["id"];
    return isNode(named) && namesReasons.test(nameOf(named)) && each.type !== "Program";
  });
}
