/** Types of install.mjs, which runs before anything is there to compile it. */
export function requireNode(): void;
export function requireDependencies(): void;
/** Why this version of Node.js will not do. */
export function nodeProblem(version: string): string | undefined;
/** Why the folder's dependencies have to be installed; undefined where they need not. */
export function reasonToInstall(folder: string): string | undefined;
