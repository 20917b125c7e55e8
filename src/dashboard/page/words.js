/** Times, icons and other words that several parts of the page use. */

/** The same signs as on a terminal: a state is told by its shape and its word, not by its colour. */
export const stateIcons = {
  Healthy: "✔",
  Progressing: "◌",
  Paused: "‖",
  AtPartition: "◔",
  AwaitingDelete: "◔",
  Stalled: "✖",
  Rejected: "✖",
  Deleting: "◷",
};

const clock = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });

export const clockTime = (ms) => clock.format(ms);

export function duration(ms) {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 120) return `${minutes}m${seconds % 60 === 0 ? "" : `${seconds % 60}s`}`;
  return `${Math.floor(minutes / 60)}h${minutes % 60}m`;
}

export const age = (text, nowMs) => (text === undefined ? "" : duration(nowMs - Date.parse(text)));

/** Commands are copied as they are, so they name the namespace unless it is the one that needs no name. */
export const inNamespace = (namespace) => (namespace === "default" ? "" : ` -n ${namespace}`);

export const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;
