/** What can be read off a parsed expression without evaluating it. */
import type { ASTNode } from "@marcbachmann/cel-js";

function isNode(value: unknown): value is ASTNode {
  return typeof value === "object" && value !== null && "op" in value && "args" in value;
}

function childNodes(value: unknown): ASTNode[] {
  if (isNode(value)) return [value];
  if (Array.isArray(value)) return value.flatMap(childNodes);
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap((part) => (isNode(part) ? [part] : []));
}

export function mentions(node: ASTNode, name: string): boolean {
  if (node.op === "id" && node.args === name) return true;
  return childNodes(node.args).some((child) => mentions(child, name));
}

/** Every call of a function of this name. */
export function functionCalls(node: ASTNode, name: string): readonly ASTNode[] {
  const inside = childNodes(node.args).flatMap((child) => functionCalls(child, name));
  return node.op === "call" && node.args[0] === name ? [node, ...inside] : inside;
}

/** The arguments of every call of a method of this name. */
export function calls(node: ASTNode, method: string): readonly (readonly ASTNode[])[] {
  const inside = childNodes(node.args).flatMap((child) => calls(child, method));
  if (node.op !== "rcall" || node.args[0] !== method) return inside;
  return [node.args[2], ...inside];
}
