/** Types of install.mjs, which runs before anything is there to compile it. */
export function requireNode(): void;
/** Everything: for tests and checks. */
export function requireDependencies(): Promise<void>;
/** What a clone needs to run. */
export function requireToRun(): Promise<void>;
/** Why this version of Node.js will not do. */
export function nodeProblem(version: string): string | undefined;
/** Why the folder's dependencies have to be installed; undefined where they need not. */
export function reasonToInstall(
  folder: string,
  isNeeded?: (locked: { readonly dev?: boolean; readonly devOptional?: boolean }) => boolean,
): string | undefined;
