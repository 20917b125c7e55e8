/** What every part of the page needs: the token, requests with it, and elements that hold text only. */

/** The token is in the fragment, which no server and no other page sees; it stays for this tab only. */
const [given, fragment] = location.hash.slice(1).split("!");
const token = given !== "" ? given : (sessionStorage.getItem("token") ?? "");
sessionStorage.setItem("token", token);
/** The rollout that the address names. */
export const opened = fragment;
/** Another address of the same page, such as that of a cluster that was started anew, is a page of its own. */
addEventListener("hashchange", () => location.reload());
/** An address that opens this rollout again. What somebody signed in with is never part of it. */
export const addressOf = (id) => `#${token}!${id}`;

export const at = (id) => document.getElementById(id);
export const headers = { authorization: `Bearer ${token}` };

/** With a token of the cluster, which is kept nowhere but in the memory of this page. */
export function signIn(own) {
  headers.authorization = `Bearer ${own}`;
}

/** Everything is put in as text: names, messages and events come from strangers. */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined) continue;
    if (name === "class") made.className = value;
    else if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

let typing = { invocation: "lockstep", clusterFlags: {} };

/** What the user types for `lockstep`, where that is something else, and what makes a command reach this cluster. */
export function hearTyping({ invocation, clusterFlags }) {
  typing = { invocation, clusterFlags };
}

/** A command as the user can type it. */
export function asTyped(command) {
  const { invocation, clusterFlags } = typing;
  const [program] = command.split(" ");
  return command.replace(/^lockstep(?= )/, invocation) + (clusterFlags[program] ?? "");
}

/** A command as the user can type it; lines break between its words. */
export const codeOf = (command) => element("code", {}, ...wordsOf(asTyped(command)));
export const wordsOf = (command) =>
  command
    .split(" ")
    .flatMap((word, at) => [...(at === 0 ? [] : [" "]), element("span", { class: "word" }, word)]);

export function copyButton(command) {
  const copy = async (event) => {
    await navigator.clipboard.writeText(asTyped(command));
    event.target.textContent = "copied";
  };
  return element("button", { type: "button", class: "small", onclick: copy }, "copy");
}

const drawn = new WeakMap();

/** Draws only where what is drawn is something else: what somebody is about to press must not be made anew. */
export function redraw(parent, data, draw) {
  const text = JSON.stringify(data);
  if (drawn.get(parent) === text) return;
  drawn.set(parent, text);
  parent.replaceChildren(...draw());
}

export async function ask(path, body) {
  const options =
    body === undefined
      ? { headers }
      : {
          method: "POST",
          headers: { ...headers, "content-type": "application/json" },
          body: JSON.stringify(body),
        };
  const response = await fetch(`/api/${path}`, options);
  const answer = await response.json();
  if (!response.ok) throw new Refused(answer);
  return answer;
}

/** `login`: another token may be given. */
export class Refused extends Error {
  constructor({ message, login = false }) {
    super(message);
    this.login = login;
  }
}
