/** Commands that a steering names, as they work from wherever they are typed. Pure. */
import type { KubeObject } from "../../api/object.ts";
import type { Steer } from "../kind.ts";
import { inNamespace } from "../commands.ts";

/** In backquotes, or after the colon that ends a sentence. */
const command = /`lockstep [^`]+(?=`)|: lockstep [^`]+$/g;

export function placed(steer: Steer, { metadata }: KubeObject): Steer {
  const place = inNamespace({ namespace: metadata.namespace ?? "" });
  const withPlace = (text: string): string => text.replaceAll(command, `$&${place}`);
  switch (steer.kind) {
    case "change": {
      const { takeBack, notes = [] } = steer;
      return { ...steer, takeBack: `${takeBack}${place}`, notes: notes.map(withPlace) };
    }
    case "refused":
      return { ...steer, fix: withPlace(steer.fix) };
    case "nothing":
      return steer;
  }
}
