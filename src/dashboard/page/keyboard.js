/** Keys for what is done often; never while somebody types, and never with a modifier. */
import { at } from "./connection.js";
import { press } from "./actions.js";

export function listenToKeys({ open, neighbour, scrub, live }) {
  const keys = {
    "/": () => at("filter").focus(),
    j: () => open(neighbour(1)),
    k: () => open(neighbour(-1)),
    ArrowLeft: () => scrub(-1),
    ArrowRight: () => scrub(1),
    l: live,
    p: () => {
      press("pause");
      press("resume");
    },
    u: () => press("undo"),
    o: () => press("promote"),
    "?": () => at("help").showModal(),
  };
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.closest?.("input, select, textarea, dialog") !== null;
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    const key = keys[event.key];
    if (key === undefined) return;
    event.preventDefault();
    key();
  });
  at("keys").addEventListener("click", () => at("help").showModal());
}
