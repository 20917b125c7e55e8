/** How the containers of one image behave, as data: how long things take and what goes wrong. */

export interface Behaviour {
  /** From the start of the pull to its end. */
  readonly pullSeconds: number;
  /** The pull fails with this text, every time. */
  readonly pullError?: string;
  /** From the pulled image to the running container. */
  readonly startSeconds: number;
  /** From the running container to the first readiness it would report. */
  readonly readySeconds: number | "never";
  /** The running container exits after this long. */
  readonly exitAfterSeconds?: number;
  readonly exitCode: number;
  /** From the request to stop to the exit; killed when the grace period is shorter. */
  readonly terminationSeconds: number;
}

export type BehaviourChange = { -readonly [Field in keyof Behaviour]?: Behaviour[Field] };

export const defaultBehaviour: Behaviour = {
  pullSeconds: 1,
  startSeconds: 1,
  readySeconds: 1,
  exitCode: 0,
  terminationSeconds: 1,
};

type FieldRule = (value: unknown) => string | undefined;

const seconds: FieldRule = (value) =>
  typeof value === "number" && Number.isFinite(value) && value >= 0
    ? undefined
    : "must be a number of seconds, 0 or more";

const text: FieldRule = (value) =>
  typeof value === "string" && value !== "" ? undefined : "must be a text that is not empty";

const fieldRules: Record<keyof Behaviour, FieldRule> = {
  pullSeconds: seconds,
  pullError: text,
  startSeconds: seconds,
  readySeconds: (value) =>
    value === "never" || seconds(value) === undefined
      ? undefined
      : 'must be a number of seconds, 0 or more, or "never"',
  exitAfterSeconds: seconds,
  exitCode: (value) =>
    Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 255
      ? undefined
      : "must be a whole number from 0 to 255",
  terminationSeconds: seconds,
};

export const behaviourFields = Object.keys(fieldRules) as readonly (keyof Behaviour)[];

/** What is wrong with a value for this field; undefined when nothing is. */
export function behaviourProblem(field: keyof Behaviour, value: unknown): string | undefined {
  return fieldRules[field](value);
}

export function isBehaviourField(name: string): name is keyof Behaviour {
  return Object.hasOwn(fieldRules, name);
}
