/** What the server uses of the page. */
import type { Frame } from "../history.ts";

export declare const mostFrames: number;
export declare function thinned(frames: readonly Frame[]): Frame[];
