/** Everything a question asks about one place, packed into five bits: a hundred thousand places stay in the cache. */
import { occupancies, type Occupancy } from "./questions.ts";

export const marks = 32;
const outdatedBit = 8;
const failedBit = 16;

const codes = Object.fromEntries(occupancies.map((name, code) => [name, code])) as Readonly<
  Record<Occupancy, number>
>;

export const markOf = (occupancy: Occupancy, isOutdated: boolean, isFailed: boolean): number =>
  codes[occupancy] | (isOutdated ? outdatedBit : 0) | (isFailed ? failedBit : 0);

export const occupancyOf = (mark: number): Occupancy => occupancies[mark & 7] ?? "missing";
export const isOutdatedMark = (mark: number): boolean => (mark & outdatedBit) !== 0;
export const isFailedMark = (mark: number): boolean => (mark & failedBit) !== 0;
