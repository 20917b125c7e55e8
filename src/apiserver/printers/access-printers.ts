/** Tables of role bindings. */
import type { KubeObject } from "../../api/object.ts";
import { age, name, printer, shown, wide } from "./columns.ts";

interface RoleBinding extends KubeObject {
  readonly roleRef: { readonly kind: string; readonly name: string };
  readonly subjects?: readonly {
    readonly kind: string;
    readonly name: string;
    readonly namespace?: string;
  }[];
}

const subjects = ({ subjects = [] }: RoleBinding, kind: string): string =>
  subjects
    .filter((subject) => subject.kind === kind)
    .map(({ name, namespace = "" }) =>
      kind === "ServiceAccount" && namespace !== "" ? `${namespace}/${name}` : name,
    )
    .join(", ");

export const roleBindingPrinter = printer<RoleBinding>(
  name,
  shown("Role", "The role that is given.", ({ roleRef }) => `${roleRef.kind}/${roleRef.name}`),
  age,
  wide("Users", "Users who get it.", (binding) => subjects(binding, "User")),
  wide("Groups", "Groups that get it.", (binding) => subjects(binding, "Group")),
  wide("ServiceAccounts", "Service accounts that get it.", (binding) =>
    subjects(binding, "ServiceAccount"),
  ),
);
