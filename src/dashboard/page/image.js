/** A new image: played in a copy of the cluster first, then set; on `up` also a broken one by one click. */
import { ask, at } from "./connection.js";
import { act, breakIt, say } from "./actions.js";

let openedId;

export function drawImageForm(id, { canPlan, canBreak }, { mayAct, hasImages }) {
  if (openedId !== id) at("planned").hidden = true;
  openedId = id;
  at("change").hidden = !hasImages || (!canPlan && !mayAct);
  at("set-image").hidden = !mayAct;
  at("push-broken").hidden = !mayAct || !canBreak;
  at("plan").hidden = !canPlan;
}

const images = () => [
  { container: at("container").value.trim() || "*", image: at("image").value.trim() },
];

at("image-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const [{ container, image }] = images();
  if (image === "") return;
  const [word, namespace, name] = openedId.split("/");
  const command = `lockstep set image ${word}/${name} '${container}=${image}'${namespace === "default" ? "" : ` -n ${namespace}`}`;
  void act(
    { verb: "setImage", images: images() },
    { question: `Set ${container} to ${image}?`, command },
  );
});
at("plan").addEventListener(
  "click",
  () =>
    void say(async () => {
      at("said").textContent = "playing it in a copy of the cluster";
      const { text, verdict } = await ask("plan", { rollout: openedId, images: images() });
      at("planned").hidden = false;
      at("planned").textContent = text;
      return { message: `planned: ${verdict}` };
    }),
);
at("push-broken").addEventListener(
  "click",
  () => void breakIt({ verb: "pushBrokenImage", rollout: openedId }),
);
