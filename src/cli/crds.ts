/** `lockstep crds`: prints the custom resource definitions, for `kubectl apply -f -`. */
import { Command, Option } from "commander";
import { stringify } from "yaml";
import type { KubeObject } from "../api/object.ts";
import type { Io } from "./io.ts";

interface CrdsFlags {
  readonly output: "yaml" | "json";
  readonly defaults?: boolean;
}

export function crdsCommand(io: Io): Command {
  return new Command("crds")
    .summary("print the custom resource definitions")
    .description(
      "Print the CustomResourceDefinitions of all kinds that Lockstep runs: " +
        "`lockstep crds | kubectl apply -f -`. `lockstep up` has them installed already.",
    )
    .addOption(
      new Option("-o, --output <format>", "how to print").choices(["yaml", "json"]).default("yaml"),
    )
    .option(
      "--defaults",
      "also print a MutatingAdmissionPolicy (Kubernetes 1.36 and later) that writes defaults of PodCliqueSets back",
    )
    .action(async (flags: CrdsFlags) => {
      const { customDefinitions } = await import("./definitions.ts");
      const { podCliqueSetDefaultPolicy } = await import("../api/grove/default-policy.ts");
      const policy = flags.defaults === true ? podCliqueSetDefaultPolicy : [];
      const definitions: readonly KubeObject[] = [...customDefinitions(), ...policy];
      if (flags.output === "yaml") {
        io.print(definitions.map(definitionYaml).join("---\n").trimEnd());
        return;
      }
      const list = { apiVersion: "v1", kind: "List", items: definitions };
      io.print(JSON.stringify(list, null, 2));
    });
}

/** One definition as a YAML document. */
export function definitionYaml(definition: KubeObject): string {
  return stringify(definition, { aliasDuplicateObjects: false, lineWidth: 0 });
}
