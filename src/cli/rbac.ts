/** `lockstep rbac`: prints the roles that an operator with these flags needs, for `kubectl apply -f -`. */
import { Command, Option } from "commander";
import { stringify } from "yaml";
import type { Io } from "./io.ts";
import { namespaceList } from "./operator.ts";

interface RbacFlags {
  readonly controllers: string;
  readonly statefulsetMode: "full" | "assist";
  readonly namespaces: readonly string[];
  readonly operatorNamespace: string;
}

export function rbacCommand(io: Io): Command {
  return new Command("rbac")
    .summary("print the roles that an operator needs")
    .description(
      "Print exactly the roles and bindings that `lockstep operator` with the same flags needs: " +
        "`lockstep rbac --namespaces team-a,team-b | kubectl apply -f -`. " +
        "deploy/operator.yaml has those of its own flags already.",
    )
    .option("--controllers <list>", "controllers to run, separated by commas", "all")
    .addOption(
      new Option("--statefulset-mode <mode>", "as for `lockstep operator`")
        .choices(["full", "assist"])
        .default("assist"),
    )
    .option(
      "--namespaces <list>",
      "roles in these namespaces instead of one for the cluster, separated by commas",
      namespaceList,
      [],
    )
    .option(
      "--operator-namespace <name>",
      "of the lease and the service account",
      "lockstep-system",
    )
    .action(async (flags: RbacFlags) => {
      const { chooseKinds } = await import("./controllers.ts");
      const { roleObjects } = await import("./roles.ts");
      const { statefulsetMode: statefulset, namespaces, operatorNamespace } = flags;
      const kinds = chooseKinds(flags.controllers);
      const objects = roleObjects({ kinds, modes: { statefulset }, namespaces, operatorNamespace });
      const texts = objects.map((each) => stringify(each, { aliasDuplicateObjects: false }));
      io.print(texts.join("---\n").trimEnd());
    });
}
