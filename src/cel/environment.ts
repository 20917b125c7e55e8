/** Kubernetes' CEL: the library with the functions and macros that Kubernetes adds. */
import { Environment } from "@marcbachmann/cel-js";
import { registerFormats } from "./format-functions.ts";
import { registerKubeFunctions } from "./kube-functions.ts";
import { registerListFunctions } from "./list-functions.ts";
import { registerMacros } from "./macros.ts";
import { registerTextFunctions } from "./text-functions.ts";

let base: Environment | undefined;

/** A clone for everybody, since types and variables are added to it. */
export function newEnvironment(): Environment {
  base ??= createEnvironment();
  return base.clone();
}

let names: ReadonlySet<string> | undefined;

export function functionNames(): ReadonlySet<string> {
  names ??= new Set(
    newEnvironment()
      .getDefinitions()
      .functions.map(({ name }) => name),
  );
  return names;
}

function createEnvironment(): Environment {
  const environment = new Environment({
    enableOptionalTypes: true,
    homogeneousAggregateLiterals: false,
    limits: { maxAstNodes: 10_000, maxDepth: 100, maxListElements: 1000 },
  });
  registerTextFunctions(environment);
  registerListFunctions(environment);
  registerKubeFunctions(environment);
  registerFormats(environment);
  registerMacros(environment);
  return environment;
}
