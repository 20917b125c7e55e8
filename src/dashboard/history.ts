/** What has been seen of a rollout since the dashboard started: one frame for every change, oldest first. */
import type { RolloutNode, RolloutView } from "../rollouts/view.ts";
import { podsOf } from "../rollouts/view.ts";

/** One pod in a frame, as short as a page can draw it from. */
export interface Cell {
  readonly name: string;
  readonly revision: string;
  readonly health: RolloutNode["health"];
  readonly isUpdated: boolean;
  readonly isSurge: boolean;
}

export interface Frame {
  /** RFC 3339. */
  readonly at: string;
  readonly state: RolloutView["state"];
  readonly reason: string;
  readonly available: number;
  readonly cells: readonly Cell[];
}

/** Enough for hours of a busy rollout; then every second frame of the older half goes. */
const mostFrames = 1_000;

export class History {
  #frames: Frame[] = [];
  #last = "";

  get frames(): readonly Frame[] {
    return this.#frames;
  }

  /** Adds a frame where anything that it shows is different. */
  see(view: RolloutView, at: string): void {
    const frame = { at, ...shownOf(view) };
    const { at: _at, ...shown } = frame;
    const text = JSON.stringify(shown);
    if (text === this.#last) return;
    this.#last = text;
    this.#frames.push(frame);
    if (this.#frames.length > mostFrames) this.#thin();
  }

  #thin(): void {
    const half = Math.floor(this.#frames.length / 2);
    this.#frames = this.#frames.filter((_frame, index) => index >= half || index % 2 === 0);
  }
}

const shownOf = ({ state, reason, nodes }: RolloutView): Omit<Frame, "at"> => {
  const cells = podsOf(nodes).map(cellOf);
  return {
    state,
    reason: reason.message,
    available: cells.filter(({ health }) => health === "available").length,
    cells,
  };
};

const cellOf = ({ name, revision, health, isUpdated, isSurge }: RolloutNode): Cell => ({
  name,
  revision: revision?.name ?? "",
  health,
  isUpdated: isUpdated === true,
  isSurge: isSurge === true,
});
