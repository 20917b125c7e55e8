/** Types of build.mjs, which runs before anything is there to compile it. */
export function bundle(
  outfile: string,
  entryPoint?: string,
  packages?: "bundle" | "external",
): Promise<void>;
export function freshBundle(): Promise<string>;
export function moveInto(folder: string, draft: string): void;
