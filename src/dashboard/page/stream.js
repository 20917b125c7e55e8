/** One stream of server-sent events from the server, opened again whenever it ends. */
import { at, headers, Refused } from "./connection.js";

let current = null;

function say(state, text) {
  at("connection").dataset.state = state;
  at("connection").textContent = text;
}

/** Over fetch: an EventSource could not send the token. */
export async function follow(id, hear, signInAgain) {
  current?.abort();
  const ending = new AbortController();
  current = ending;
  const query = id === undefined ? "" : `?rollout=${encodeURIComponent(id)}`;
  try {
    const response = await fetch(`/api/stream${query}`, { headers, signal: ending.signal });
    if (!response.ok) throw new Refused(await response.json());
    connected();
    await readEvents(response.body.pipeThrough(new TextDecoderStream()).getReader(), hear);
  } catch (error) {
    if (ending.signal.aborted) return;
    say("lost", `not connected: ${error.message}`);
    if (error.login) return signInAgain();
  }
  // Another rollout may be opened in the meantime, and is followed then.
  setTimeout(() => {
    if (!ending.signal.aborted) void follow(id, hear, signInAgain);
  }, 1000);
}

async function readEvents(reader, hear) {
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value;
    const parts = text.split("\n\n");
    text = parts.pop();
    for (const part of parts) {
      const [event, data] = part.split("\n").map((line) => line.slice(line.indexOf(": ") + 2));
      hear(event, JSON.parse(data));
    }
  }
}

export const connected = () => say("live", "live");
export const notConnected = (message) => say("lost", `not connected: ${message}`);
