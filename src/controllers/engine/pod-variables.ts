/** Variables that a controller adds to the containers of a pod. */
import type { Container, PodSpec } from "../../api/pod.ts";

export type Variable = NonNullable<Container["env"]>[number];

/** Before the user's own, so that those may refer to them; ours win where the names are the same. */
export function withVariables(podSpec: PodSpec, ours: readonly Variable[]): PodSpec {
  const added = (container: Container): Container => {
    const { env = [] } = container;
    const theirs = env.filter(({ name }) => !ours.some((variable) => variable.name === name));
    return { ...container, env: [...ours, ...theirs] };
  };
  const { initContainers } = podSpec;
  return {
    ...podSpec,
    containers: podSpec.containers.map(added),
    ...(initContainers === undefined ? {} : { initContainers: initContainers.map(added) }),
  };
}
