/** A new image: played in a copy of the cluster first, then set; on `up` also a broken one by one click. */
import { ask, asTyped, at, element } from "./connection.js";
import { act, pushBroken, say } from "./actions.js";
import { inNamespace } from "./words.js";

let openedId;

export function drawImageForm(id, { canPlan, canBreak }, { mayAct, hasImages }) {
  if (openedId !== id) for (const part of ["planned", "plan-command"]) at(part).hidden = true;
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
  const which = container === "*" ? "every container" : container;
  void act(
    { verb: "setImage", images: images() },
    { question: `Set ${which} to ${image}?`, command: commandOf("set image", "") },
  );
});

/** `lockstep plan sts/web --image '*=web:v2'`. */
function commandOf(verb, flag) {
  const [{ container, image }] = images();
  const [word, namespace, name] = openedId.split("/");
  return `lockstep ${verb} ${word}/${name} ${flag}'${container}=${image}'${inNamespace(namespace)}`;
}

at("plan").addEventListener(
  "click",
  () =>
    void say(async () => {
      at("said").textContent = "playing it in a copy of the cluster";
      const { text, verdict } = await ask("plan", { rollout: openedId, images: images() });
      at("planned").hidden = false;
      at("planned").textContent = text;
      at("plan-command").hidden = false;
      at("plan-command").replaceChildren(
        "The same on a command line: ",
        element("code", {}, asTyped(commandOf("plan", "--image "))),
      );
      return { message: `planned: ${verdict}` };
    }),
);
at("push-broken").addEventListener("click", () => void pushBroken(openedId));
