/** What a part is steered through: it alone knows whether the part is to move. Pure. */
import type { Resource } from "../../api/resource.ts";
import type { KindView, Related, RelatedQuery } from "../kind.ts";
import { listed } from "../kind.ts";
import type { ReportedStatus } from "../state.ts";
import { reportedState } from "../state.ts";

export const ownerQuery = (
  resource: Resource,
  name: string,
): Readonly<Record<string, RelatedQuery>> => ({
  owner: { resource, fieldSelector: `metadata.name=${name}` },
});

export function stateOfOwner(
  related: Related,
): Pick<NonNullable<KindView["steeredBy"]>, "state" | "code"> {
  const [owner] = listed(related, "owner");
  const status = owner?.["status"] as ReportedStatus | undefined;
  const stated = owner === undefined ? undefined : reportedState(owner, status);
  return stated === undefined ? {} : { state: stated.state, code: stated.reason.code };
}
