/** The ports of its node that a pod takes for itself. */
import type { Pod } from "../../api/pod.ts";

export function hostPorts(pod: Pod): readonly string[] {
  return pod.spec.containers.flatMap(({ ports = [] }) =>
    ports
      .filter(({ hostPort }) => hostPort !== undefined && hostPort > 0)
      .map(({ hostPort, protocol = "TCP" }) => `${protocol}/${hostPort}`),
  );
}
