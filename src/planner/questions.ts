/** The questions a decision asks about places; each is one line, and every place is filed under its answers. */

/** What a place holds. An `unseen` unit was requested and is not in the view yet, so it cannot be deleted. */
const occupancies = [
  "missing",
  "unseen",
  "pending",
  "ready",
  "available",
  "unavailable",
  "terminating",
] as const;
export type Occupancy = (typeof occupancies)[number];

/** The base below the partition, the base above it, and what is above desired. */
const regions = ["kept", "staged", "extra"] as const;
type Region = (typeof regions)[number];

interface Place {
  readonly region: Region;
  readonly occupancy: Occupancy;
  readonly isOutdated: boolean;
  /** Its unit has failed or finished for good. */
  readonly isFailed: boolean;
  /** Under an ordered pacing a unit that only has to wait out minReadySeconds is not broken. */
  readonly isOrdered: boolean;
}

const isBase = ({ region }: Place): boolean => region !== "extra";
const isStaged = ({ region }: Place): boolean => region === "staged";
const isExtra = ({ region }: Place): boolean => region === "extra";
const serves = ({ occupancy }: Place): boolean => occupancy === "available";
const isEmpty = ({ occupancy }: Place): boolean => occupancy === "missing";
const isLeaving = ({ occupancy }: Place): boolean => occupancy === "terminating";
const isLive = (place: Place): boolean => !isEmpty(place) && !isLeaving(place);
const isUnseen = ({ occupancy }: Place): boolean => occupancy === "unseen";
const isSeen = (place: Place): boolean => isLive(place) && !isUnseen(place);
const hasFailed = (place: Place): boolean => place.isFailed && isSeen(place) && !serves(place);
const isFinished = (place: Place): boolean => !place.isOutdated && serves(place);
const isReplaceable = (place: Place): boolean =>
  isStaged(place) && place.isOutdated && isSeen(place) && !hasFailed(place);
const isGivenUp = ({ occupancy, isOrdered }: Place): boolean => !isOrdered || occupancy !== "ready";

export const questions = {
  missing: (place: Place) => isBase(place) && isEmpty(place),
  down: (place: Place) => isBase(place) && !serves(place),
  /** Down, and there is a unit to wait for. */
  awaited: (place: Place) => isBase(place) && !serves(place) && !isEmpty(place),
  starting: (place: Place) => isBase(place) && isLive(place) && !serves(place),
  outdated: (place: Place) => isBase(place) && place.isOutdated && isLive(place),
  /** Empty, or on the target revision and not yet available. */
  returning: (place: Place) =>
    isBase(place) && (isEmpty(place) || (!place.isOutdated && !serves(place))),

  finished: (place: Place) => isStaged(place) && isFinished(place),
  unfinished: (place: Place) => isStaged(place) && !isFinished(place),
  /** An unseen unit is on its way even if its revision was abandoned: it cannot be replaced yet. */
  inFlight: (place: Place) =>
    isStaged(place) &&
    !isFinished(place) &&
    (!place.isOutdated || isLeaving(place) || isUnseen(place)),
  replaceable: isReplaceable,
  serving: (place: Place) => isReplaceable(place) && serves(place),
  broken: (place: Place) => isReplaceable(place) && !serves(place) && isGivenUp(place),
  /** Of the base, counted as down for minReadySeconds alone: it may serve all the same. */
  unproven: (place: Place) => isBase(place) && place.isOutdated && place.occupancy === "ready",

  extra: (place: Place) => isExtra(place) && isLive(place),
  extraOutdated: (place: Place) => isExtra(place) && isSeen(place) && place.isOutdated,
  extraDown: (place: Place) => isExtra(place) && isLive(place) && !serves(place),
  leaving: (place: Place) => isExtra(place) && isLeaving(place),

  failed: hasFailed,
  waitingOut: ({ occupancy }: Place) => occupancy === "ready",
} as const satisfies Readonly<Record<string, (place: Place) => boolean>>;

export type Question = keyof typeof questions;
export const questionNames = Object.keys(questions) as readonly Question[];

type AnswerTable = Readonly<
  Record<Region, Readonly<Record<Occupancy, readonly (readonly number[])[]>>>
>;

/**
 * The questions that each kind of place answers with yes, by their index in `questionNames`. Asked
 * once for all, because a decision would otherwise ask a hundred thousand times. The last index is 1
 * for outdated plus 2 for failed.
 */
export const answerTable = (isOrdered: boolean): AnswerTable =>
  byName(regions, (region) =>
    byName(occupancies, (occupancy) =>
      [0, 1, 2, 3].map((flags) => {
        const isOutdated = flags % 2 === 1;
        const place: Place = { region, occupancy, isOutdated, isFailed: flags > 1, isOrdered };
        return questionNames.flatMap((name, index) => (questions[name](place) ? [index] : []));
      }),
    ),
  );

const byName = <Name extends string, T>(
  names: readonly Name[],
  valueOf: (name: Name) => T,
): Record<Name, T> =>
  Object.fromEntries(names.map((name) => [name, valueOf(name)])) as Record<Name, T>;
